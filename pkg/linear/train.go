package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
)

// Report says how a training went.
type Report struct {
	// Examples and Features are how many there were, Weights how many weights of the bundle are not 0: each is a byte of its file, and
	// three in memory.
	Examples, Features, Weights int
	Columns                     []ColumnReport
}

// ColumnReport is the part of one column of labels.
type ColumnReport struct {
	Name string
	// Labelled examples there were, and of each value so many.
	Labelled int
	Seen     []int
	// Epochs are the passes of all classes together.
	Epochs int
	// Temperature was fitted on Held examples by models that had not seen them; 0 of them means that it is a rough guess. LogLoss is
	// theirs at that temperature, and Accuracy the share of them that was decided right; both 0 where Held is.
	Temperature       float64
	Held              int
	LogLoss, Accuracy float64
	Warnings          []string
}

// Train fits a model to each column of labels, all over one space of features. It stops with the context's error when that
// ends. It is an error if there are no examples or columns, or if an option or column is not as it must be.
func Train(ctx context.Context, examples []Example, columns []Labels, options Options) (*Bundle, Report, error) {
	opt, err := options.filled()
	if err != nil {
		return nil, Report{}, fmt.Errorf("training: %w", err)
	}
	if err := checkAll(examples, columns); err != nil {
		return nil, Report{}, fmt.Errorf("training: %w", err)
	}
	t := trainer{opt: opt, examples: examples, space: fit(examples, opt)}
	for i, l := range columns {
		t.columns = append(t.columns, newColumn(i, l, examples, opt))
	}
	if k := opt.MaxFeatures; k > 0 && len(t.space.keys) > k {
		if err := t.narrow(ctx, k); err != nil {
			return nil, Report{}, fmt.Errorf("training: %w", err)
		}
	}
	t.vectors(ctx)
	if err := t.run(ctx, t.plan()); err != nil {
		return nil, Report{}, fmt.Errorf("training: %w", err)
	}
	b, report := t.bundle()
	return b, report, nil
}

func checkAll(examples []Example, columns []Labels) error {
	if len(examples) == 0 {
		return errors.New("no examples")
	}
	if len(columns) == 0 || len(columns) > maxModels {
		return fmt.Errorf("%d columns of labels: allowed are 1 to %d", len(columns), maxModels)
	}
	for i, l := range columns {
		if slices.ContainsFunc(columns[:i], func(o Labels) bool { return o.Name == l.Name }) {
			return fmt.Errorf("two columns of labels are named %q", l.Name)
		}
		if err := l.check(len(examples)); err != nil {
			return err
		}
	}
	return nil
}

// column is one column of labels in training: the models of its folds and, last, that of all its examples.
type column struct {
	Labels
	number int
	folds  []int
	seen   []int
	parts  []*part
}

// part is a model on some of the examples.
type part struct {
	of          []int
	seen        []int
	weights     []int8
	scale, bias []float64
	epochs      []int
}

func newColumn(number int, l Labels, examples []Example, opt Options) *column {
	c := &column{Labels: l, number: number, seen: make([]int, len(l.Values))}
	for _, of := range l.Of {
		if of != NoLabel {
			c.seen[of]++
		}
	}
	if opt.Folds > 1 && c.classes() > 1 {
		c.hold(folds(examples, l.Of, len(l.Values), opt.Folds, opt.Seed), opt.Folds)
	}
	c.parts = append(c.parts, c.part(func(int) bool { return true }))
	return c
}

// enough held-out examples fix the one number of the temperature: further folds are not trained.
const enough = 2000

// hold makes a part without each fold, until enough examples are held out; those of further folds count as not held out.
func (c *column) hold(folds []int, n int) {
	held := 0
	for f := 0; f < n && held < enough; f++ {
		p := c.part(func(i int) bool { return folds[i] != f })
		held += c.labelled() - len(p.of)
		c.parts = append(c.parts, p)
	}
	for i, f := range folds {
		if f >= len(c.parts) {
			folds[i] = -1
		}
	}
	c.folds = folds
}

func (c *column) labelled() int {
	n := 0
	for _, s := range c.seen {
		n += s
	}
	return n
}

// classes is how many values have examples.
func (c *column) classes() int {
	n := 0
	for _, s := range c.seen {
		n += min(s, 1)
	}
	return n
}

func (c *column) part(in func(int) bool) *part {
	p := &part{seen: make([]int, len(c.Values))}
	for i, of := range c.Of {
		if of != NoLabel && in(i) {
			p.of = append(p.of, i)
			p.seen[of]++
		}
	}
	return p
}

// task is up to eight classes of one part of one column.
type task struct {
	column  *column
	part    *part
	number  int
	classes []int
}

type trainer struct {
	opt      Options
	examples []Example
	space    *space
	columns  []*column
	matrix   *matrix
	quants   []Vector
}

// plan lists the tasks, those of the most examples first, so that workers end together.
func (t *trainer) plan() []task {
	var out []task
	for _, c := range t.columns {
		for n, p := range slices.Backward(c.parts) {
			p.weights = make([]int8, len(t.space.keys)*len(c.Values))
			p.scale, p.bias = make([]float64, len(c.Values)), make([]float64, len(c.Values))
			p.epochs = make([]int, len(c.Values))
			var classes []int
			for class, seen := range p.seen {
				if seen > 0 && seen < len(p.of) {
					classes = append(classes, class)
				}
			}
			for some := range slices.Chunk(classes, lanes) {
				out = append(out, task{c, p, n, some})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b task) int { return len(b.part.of) - len(a.part.of) })
	return out
}

// vectors makes the matrix of all examples; they are cut up side by side and laid in order.
func (t *trainer) vectors(ctx context.Context) {
	t.quants = make([]Vector, len(t.examples))
	spread(ctx, t.opt.Workers, len(t.examples), func(i int) { t.quants[i] = t.space.vector(t.examples[i], true) })
	t.matrix = newMatrix(len(t.space.keys))
	for _, v := range t.quants {
		t.matrix.add(v)
	}
}

// spread calls f for 0 to n-1 from several workers, and returns when all are done or the context has ended.
func spread(ctx context.Context, workers, n int, f func(int)) {
	var wait sync.WaitGroup
	var mu sync.Mutex
	next := 0
	for range min(workers, n) {
		wait.Go(func() {
			for ctx.Err() == nil {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= n {
					return
				}
				f(i)
			}
		})
	}
	wait.Wait()
}

func (t *trainer) run(ctx context.Context, tasks []task) error {
	var mu sync.Mutex
	done := 0
	spread(ctx, t.opt.Workers, len(tasks), func(i int) {
		s, err := t.solve(ctx, tasks[i])
		if err != nil {
			return
		}
		tasks[i].part.take(s, tasks[i].classes)
		mu.Lock()
		defer mu.Unlock()
		if done++; t.opt.Progress != nil {
			t.opt.Progress(done, len(tasks))
		}
	})
	return ctx.Err()
}

func (t *trainer) solve(ctx context.Context, job task) (*solution, error) {
	p := problem{
		matrix: t.matrix, of: job.part.of, class: make([]int, len(job.part.of)), classes: job.classes,
		tolerance: t.opt.Tolerance, epochs: t.opt.Epochs,
		random: rand.New(rand.NewPCG(t.opt.Seed, uint64(job.column.number)<<40|uint64(job.number)<<20|uint64(job.classes[0]))),
	}
	for i, of := range job.part.of {
		p.class[i] = job.column.Of[of]
	}
	for _, class := range job.classes {
		cost := [2]float64{t.opt.C, t.opt.C}
		if t.opt.Balanced {
			yes, all := float64(job.part.seen[class]), float64(len(job.part.of))
			cost = [2]float64{t.opt.C * all / (2 * yes), t.opt.C * all / (2 * (all - yes))}
		}
		p.cost = append(p.cost, cost)
	}
	return p.solve(ctx)
}

// take keeps the weights of classes as whole numbers of -127 to 127.
func (p *part) take(s *solution, classes []int) {
	features := len(s.weights) - 1
	for l, class := range classes {
		most := 0.0
		for _, w := range s.weights[:features] {
			most = max(most, math.Abs(w[l]))
		}
		// Rounded to float32, as a file has them.
		p.bias[class], p.epochs[class] = float64(float32(s.weights[features][l])), s.epochs[l]
		p.scale[class] = float64(float32(most / 127))
		if p.scale[class] == 0 {
			continue
		}
		for row, w := range s.weights[:features] {
			p.weights[row*len(p.scale)+class] = int8(max(-127, min(127, math.Round(w[l]/p.scale[class]))))
		}
	}
}
