package linear

import (
	"math"
	"math/bits"
	"slices"
	"sync"
)

// one is 1.0 in the fixed-point numbers of a [Vector].
const one = 1 << 16

// Vector is an example in numbers: the features it has and their values, in units of 1/65536. The zero value has none.
type Vector struct {
	rows   []int32
	values []int32
}

// Len is how many features of the model the example has.
func (v Vector) Len() int { return len(v.rows) }

// space turns examples into vectors. It does not change after it is fitted, and many may use it at once.
type space struct {
	opt Options
	// keys are the buckets that are features, rising; docs in how many of the n examples each was.
	keys []uint32
	docs []uint32
	n    int
	// keys[index[i]:index[i+1]] are those whose first bits are i, which is about one; idf has for each row what it weighs.
	index []uint32
	shift int
	idf   []float64
	tf    [64]float64
	pool  sync.Pool
}

// fieldSeed keeps fields apart from texts.
const fieldSeed = uint64(field)

// seeder keeps the words of different parts apart.
func seeder(k kind, name string) uint64 { return hashOf(name, uint64(k)+1) }

// fill makes what follows from keys, docs and n.
func (s *space) fill() {
	s.shift = max(s.opt.Bits-bits.Len(uint(len(s.keys))), 0)
	s.index = make([]uint32, 1<<(s.opt.Bits-s.shift)+1)
	s.idf = make([]float64, len(s.keys))
	for row, key := range s.keys {
		s.index[key>>s.shift+1] = uint32(row) + 1
		s.idf[row] = 1 + ln(float64(1+s.n)/float64(1+uint64(s.docs[row])))
	}
	for i := range s.index[1:] {
		s.index[i+1] = max(s.index[i+1], s.index[i])
	}
	for i := range s.tf {
		s.tf[i] = 1 + ln(float64(max(i, 1)))
	}
}

func (s *space) times(count int32) float64 {
	if int(count) < len(s.tf) {
		return s.tf[count]
	}
	return 1 + ln(float64(count))
}

// scratch is what counting the n-grams of one example needs.
type scratch struct {
	scanner scanner
	// count has for each row how often the block at hand has it; touched names the rows it has, in the order they came.
	count   []int32
	touched []int32
	vector  Vector
}

func (o Options) scanner() scanner {
	return scanner{words: o.Words, minChars: o.MinChars, chars: o.Chars, maxBytes: o.MaxBytes}
}

func (s *space) borrow() *scratch {
	if c, ok := s.pool.Get().(*scratch); ok {
		return c
	}
	return &scratch{scanner: s.opt.scanner(), count: make([]int32, len(s.keys))}
}

// row is the feature of a hash, or -1.
func (s *space) row(hash uint64) int32 {
	key := uint32(hash >> (64 - s.opt.Bits))
	at := key >> s.shift
	lo, hi := s.index[at], s.index[at+1]
	// A strange file may have many keys with the same first bits.
	for hi-lo > 8 {
		if mid := lo + (hi-lo)/2; s.keys[mid] <= key {
			lo = mid
		} else {
			hi = mid
		}
	}
	for ; lo < hi; lo++ {
		if s.keys[lo] == key {
			return int32(lo)
		}
	}
	return -1
}

// vector is the example in numbers, with its features rising and each once where sorted.
func (s *space) vector(e Example, sorted bool) Vector {
	c := s.borrow()
	defer s.pool.Put(c)
	c.vector.rows, c.vector.values = c.vector.rows[:0], c.vector.values[:0]
	for i, t := range e.Texts {
		if named(e.Texts[:i], t.Name) {
			continue
		}
		s.block(c, e.Texts[i:], word)
		s.block(c, e.Texts[i:], char)
	}
	for _, f := range e.Fields {
		if row := s.row(hashOf(f, fieldSeed)); row >= 0 && c.count[row] == 0 {
			c.count[row] = 1
			c.touched = append(c.touched, row)
		}
	}
	for _, row := range c.touched {
		c.vector.rows = append(c.vector.rows, row)
		c.vector.values = append(c.vector.values, int32(math.Round(s.opt.FieldWeight*one)))
		c.count[row] = 0
	}
	c.touched = c.touched[:0]
	if sorted {
		return c.vector.merged()
	}
	return Vector{slices.Clone(c.vector.rows), slices.Clone(c.vector.values)}
}

func named(texts []Text, name string) bool {
	return slices.ContainsFunc(texts, func(t Text) bool { return t.Name == name })
}

// block adds the n-grams of a kind in all texts with the name of the first, as a vector of length 1.
func (s *space) block(c *scratch, texts []Text, k kind) {
	seed := seeder(k, texts[0].Name)
	add := func(g gram) {
		row := s.row(g.hash)
		if row < 0 {
			return
		}
		if c.count[row] == 0 {
			c.touched = append(c.touched, row)
		}
		c.count[row]++
	}
	for _, t := range texts {
		if t.Name != texts[0].Name {
			continue
		}
		c.scanner.scan(t.Text)
		c.scanner.eachOf(k, seed, add)
	}
	squares := 0.0
	for _, row := range c.touched {
		x := float64(s.times(c.count[row]) * s.idf[row])
		squares += float64(x * x)
	}
	norm := one / math.Sqrt(squares)
	for _, row := range c.touched {
		x := float64(s.times(c.count[row]) * s.idf[row])
		c.vector.rows = append(c.vector.rows, row)
		c.vector.values = append(c.vector.values, int32(math.Round(float64(x*norm))))
		c.count[row] = 0
	}
	c.touched = c.touched[:0]
}

// merged sorts by feature and adds up those that two parts of an example share by a collision of hashes.
func (v Vector) merged() Vector {
	both := make([]uint64, len(v.rows))
	for i, row := range v.rows {
		both[i] = uint64(row)<<32 | uint64(v.values[i])
	}
	slices.Sort(both)
	out := Vector{make([]int32, 0, len(both)), make([]int32, 0, len(both))}
	for _, b := range both {
		row, value := int32(b>>32), int32(uint32(b))
		if n := len(out.rows); n > 0 && out.rows[n-1] == row {
			out.values[n-1] += value
			continue
		}
		out.rows, out.values = append(out.rows, row), append(out.values, value)
	}
	return out
}

// fit finds the features of the examples: the buckets that enough of them have.
func fit(examples []Example, opt Options) *space {
	docs := make([]uint32, 1<<opt.Bits)
	// last has for each bucket the example that was counted last in it, plus 1.
	last := make([]uint32, len(docs))
	scan := opt.scanner()
	for i, e := range examples {
		add := func(g gram) {
			if b := g.hash >> (64 - opt.Bits); last[b] != uint32(i)+1 {
				last[b] = uint32(i) + 1
				docs[b]++
			}
		}
		for _, t := range e.Texts {
			scan.scan(t.Text)
			scan.eachOf(word, seeder(word, t.Name), add)
			scan.eachOf(char, seeder(char, t.Name), add)
		}
		for _, f := range e.Fields {
			add(gram{kind: field, hash: hashOf(f, fieldSeed)})
		}
	}
	s := &space{opt: opt, n: len(examples)}
	for b, d := range docs {
		if int(d) >= opt.MinExamples {
			s.keys, s.docs = append(s.keys, uint32(b)), append(s.docs, d)
		}
	}
	s.fill()
	return s
}

// keep is the space with only the given rows, which rise.
func (s *space) keep(rows []int) *space {
	out := &space{opt: s.opt, n: s.n}
	for _, row := range rows {
		out.keys, out.docs = append(out.keys, s.keys[row]), append(out.docs, s.docs[row])
	}
	out.fill()
	return out
}
