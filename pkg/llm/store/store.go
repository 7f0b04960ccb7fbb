// Package store keeps what endpoints answered: in a [Cache] on disk, so that nothing is paid for twice, and in cassettes
// ([Record], [Replay]), small folders that are committed so that a run can be made again without a network. It is no general
// key-value store: it keeps complete answers and what was learned of endpoints, forgets nothing by itself, and knows neither
// what is asked nor whom. Start at [OpenCache]; [Chain] records what a cache gives.
package store

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/triagebench/triage/pkg/llm/wire"
)

// Memory keeps answers, and beside them what each endpoint has refused: only with both does a second run send the same
// bytes. It is safe for several goroutines.
type Memory interface {
	wire.Store
	// Learned gives what was kept for an endpoint (see [Endpoint]), with false where there is nothing.
	Learned(endpoint string) (wire.Learned, bool)
	// SetLearned keeps it, in the place of what was there.
	SetLearned(endpoint string, l wire.Learned) error
}

var (
	_ Memory = (*Cache)(nil)
	_ Memory = (*Recorder)(nil)
	_ Memory = (*Player)(nil)
	_ Memory = chain{}
)

// Endpoint names a model at a base URL, for Learned and SetLearned.
func Endpoint(baseURL, model string) string { return baseURL + " " + model }

// Redact takes secrets out of text that is about to be written. It must leave JSON valid.
type Redact func([]byte) []byte

func (r Redact) text(s string) string {
	if r == nil {
		return s
	}
	return string(r([]byte(s)))
}

func (r Redact) bytes(b []byte) []byte {
	if r == nil {
		return b
	}
	return r(b)
}

// place says where a file is, for messages.
func place(root *os.Root, name string) string { return root.Name() + string(os.PathSeparator) + name }

func fileError(doing string, root *os.Root, name string, err error) error {
	return fmt.Errorf("%s %s: %w", doing, place(root, name), plain(err))
}

// plain takes the operation and the path from an error, since the message around it has both.
func plain(err error) error {
	var path *os.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// readFile reads a file of at most limit bytes.
func readFile(root *os.Root, name string, limit int64) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, fmt.Errorf("it is no file of at most %d bytes", limit)
	}
	data := make([]byte, info.Size())
	_, err = io.ReadFull(f, data)
	return data, err
}
