package store

import (
	"errors"

	"github.com/triagebench/triage/pkg/llm/wire"
)

type chain struct{ outer, inner Memory }

// Chain asks outer, then inner. What only inner has is put into outer as well, so that Chain(recorder, cache) records also
// what comes from the cache. Put and SetLearned go to both, and fail if one does. A [Player] is not to be chained: a replay
// takes its answers from nowhere else.
func Chain(outer, inner Memory) Memory { return chain{outer: outer, inner: inner} }

func (c chain) Get(k wire.Key) ([]byte, bool, error) {
	if body, ok, err := c.outer.Get(k); ok || err != nil {
		return body, ok, err
	}
	body, ok, err := c.inner.Get(k)
	if !ok || err != nil {
		return nil, false, err
	}
	if err := c.outer.Put(k, body); err != nil {
		return nil, false, err
	}
	return body, true, nil
}

func (c chain) Put(k wire.Key, body []byte) error {
	return errors.Join(c.inner.Put(k, body), c.outer.Put(k, body))
}

func (c chain) Learned(endpoint string) (wire.Learned, bool) {
	if l, ok := c.outer.Learned(endpoint); ok {
		return l, true
	}
	l, ok := c.inner.Learned(endpoint)
	if ok {
		// Learned has no error to give. A recorder keeps it and gives it at Close.
		_ = c.outer.SetLearned(endpoint, l)
	}
	return l, ok
}

func (c chain) SetLearned(endpoint string, l wire.Learned) error {
	return errors.Join(c.inner.SetLearned(endpoint, l), c.outer.SetLearned(endpoint, l))
}
