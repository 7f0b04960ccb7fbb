package cli

import (
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/triagebench/triage/configs"
	"github.com/triagebench/triage/pkg/llm"
	"github.com/triagebench/triage/pkg/llm/store"
	"github.com/triagebench/triage/pkg/llm/wire"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// modelBench makes clients with what they share: the network, the limits, the money, what is kept.
type modelBench struct {
	options   *playOptions
	members   []*member
	transport http.RoundTripper
	network   http.RoundTripper // transport, which says where nothing listens
	limiter   *llm.Limiter
	purse     *llm.Purse
	prices    *llm.Prices
	memory    store.Memory    // nil: nothing is kept
	recorder  *store.Recorder // or nil
	given     map[string]wire.Learned
	secrets   []wire.Secret
	mu        sync.Mutex
	learned   map[string]wire.Learned // what is known of the endpoints of this run
	unkept    sync.Once
	closers   []func() error
}

func newModelBench(o *playOptions) (*modelBench, error) {
	b := &modelBench{options: o, learned: map[string]wire.Learned{}}
	var err error
	if b.transport, err = o.model.transport(o.app); err != nil {
		return nil, err
	}
	b.network = o.app.knock(b.transport, min(o.model.Budget, llm.ClosedBudget), func(address string) string { return wire.NewRedactor(b.secrets...).String(address) })
	b.closers = append(b.closers, hangUp(b.transport))
	if b.limiter, err = llm.NewLimiter(max(1, o.model.Concurrency)); err != nil {
		return nil, usageError("%v", err)
	}
	if o.model.MaxCost > 0 {
		if b.purse, err = llm.NewPurse(o.model.mostNano()); err != nil {
			return nil, usageError("--max-cost: %v", err)
		}
	}
	if b.prices, err = o.prices(); err != nil {
		return nil, err
	}
	b.given, err = o.knownBefore()
	return b, err
}

// knownBefore is what endpoints were found to refuse: by triage doctor, and by the run that goes on, which counts more.
func (o *playOptions) knownBefore() (map[string]wire.Learned, error) {
	out := map[string]wire.Learned{}
	var files []string
	if o.model.Learned != "" {
		files = append(files, o.model.Learned)
	}
	if o.Resume && o.Out != "" {
		if file := filepath.Join(o.Out, results.LearnedFile); isThere(o.app, file) { // else it has learned nothing
			files = append(files, file)
		}
	}
	for _, file := range files {
		data, err := o.app.ReadFile(file)
		if err != nil {
			return nil, fileProblem("read", file, err)
		}
		learned, err := parseLearned(data, file)
		if err != nil {
			return nil, err
		}
		maps.Copy(out, learned)
	}
	return out, nil
}

// prices are the built-in ones with those of --prices over them.
func (o *playOptions) prices() (*llm.Prices, error) {
	builtin, err := llm.ParsePrices(configs.Prices, "configs/prices.yaml")
	if err != nil || o.model.Prices == "" {
		return builtin, err
	}
	data, err := o.app.ReadFile(o.model.Prices)
	if err != nil {
		return nil, fileProblem("read prices", o.model.Prices, err)
	}
	own, err := llm.ParsePrices(data, o.model.Prices)
	if err != nil {
		return nil, usageError("%v", err)
	}
	return own.Over(builtin), nil
}

// endpoint reads a model as the user named it.
func (b *modelBench) endpoint(spec string) (llm.Endpoint, error) {
	e, err := b.options.model.endpoint(b.options.app, spec)
	if err != nil {
		return e, err
	}
	b.secrets = append(b.secrets, e.Secrets()...)
	return e, nil
}

// client makes the client of an endpoint.
func (b *modelBench) client(e llm.Endpoint, learned *learnedOf) (*llm.Client, error) {
	o := b.options
	opts, err := o.model.clientOptions(o.app, e, b.transport)
	if err != nil {
		return nil, err
	}
	opts.Transport = b.network
	opts.Limiter, opts.Purse, opts.Prices = b.limiter, b.purse, b.prices
	name := store.Endpoint(placeOf(e), e.Model)
	if b.memory != nil {
		opts.Store = b.memory
		opts.Learned, _ = b.memory.Learned(name)
	}
	if l, ok := b.given[name]; ok {
		opts.Learned = l
		if b.recorder != nil { // else the cassette could not be played without the file
			if err := b.recorder.SetLearned(name, l); err != nil {
				return nil, &triage.Error{Code: triage.CodeFiles, Message: "record", Err: err}
			}
		}
	}
	if !isNothing(opts.Learned) {
		b.learned[name] = opts.Learned
	}
	learned.set(opts.Learned)
	opts.OnLearn = func(l wire.Learned) {
		learned.set(l)
		if err := b.keepLearned(name, l); err != nil {
			o.app.warn("%v", err)
		}
	}
	opts.Log = func(r llm.Record) {
		if r.StoreErr != "" {
			b.unkept.Do(func() {
				o.app.warn("a reply could not be kept, so that it may have to be paid for again: %s", r.StoreErr)
			})
		}
	}
	return llm.New(opts)
}

// begin writes down in the run's folder what is known of the endpoints, and takes out of the purse what calls have cost before.
func (b *modelBench) begin(root *os.Root, calls *results.Calls) error {
	if b.purse != nil {
		b.purse.Spend(calls.Spent())
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.learned) == 0 {
		return nil
	}
	return writeLearned(root, results.LearnedFile, b.learned)
}

// keepLearned writes down what was learned, so that a second run and a resumed one send the same.
func (b *modelBench) keepLearned(name string, l wire.Learned) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.learned[name] = l
	if b.memory != nil {
		if err := b.memory.SetLearned(name, l); err != nil {
			return err
		}
	}
	if b.options.Out == "" {
		return nil
	}
	root, err := b.options.app.OpenRoot(b.options.Out)
	if err != nil {
		return err
	}
	return errors.Join(writeLearned(root, results.LearnedFile, b.learned), root.Close())
}

func (b *modelBench) close() error {
	var err error
	for _, f := range slices.Backward(b.closers) {
		err = errors.Join(err, f())
	}
	b.closers = nil
	if err != nil {
		return &triage.Error{Code: triage.CodeFiles, Message: "cassette", Err: err}
	}
	return nil
}
