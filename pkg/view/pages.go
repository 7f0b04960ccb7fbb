package view

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// The bounds of what is remembered: a report of 20,000 tickets has under 30 MiB.
const (
	maxPage  = 128 << 20 // bytes of one page
	maxPages = 4
	maxBytes = 128 << 20 // of all pages together, but for the last one
)

// made is a page that was made.
type made struct {
	name, version string
	data          []byte
	until         time.Time // a run that goes on is shown by this page for so long
}

// pages remembers the last pages, one version of each. Pages are made one after the other.
type pages struct {
	now    func() time.Time
	making sync.Mutex // held while a page is made
	mu     sync.Mutex // of the list
	list   []made     // the last used one last
}

// A run that goes on is made a page of again after a pause: so many times as long as making it took, and at least so long.
const (
	pauseTimes = 10
	pauseLeast = 5 * time.Second
)

// get gives the page of a name and version, from memory or made. For a run that goes on an older version serves for a while, so
// that a long report is not made without end; get gives the version that it has.
func (p *pages) get(name, version string, goesOn bool, write func(io.Writer) error) (data []byte, of string, err error) {
	p.making.Lock()
	defer p.making.Unlock()
	begun := p.now()
	if m, ok := p.take(name, func(m *made) bool { return m.version == version || goesOn && begun.Before(m.until) }); ok {
		return m.data, m.version, nil
	}
	b := &bounded{}
	if err := safely(func() error { return write(b) }); err != nil {
		return nil, "", err
	}
	ended := p.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, made{name: name, version: version, data: b.Bytes(), until: ended.Add(max(pauseLeast, pauseTimes*ended.Sub(begun)))})
	for len(p.list) > maxPages || len(p.list) > 1 && p.size() > maxBytes {
		p.list = p.list[1:]
	}
	return b.Bytes(), version, nil
}

// take gives the page of a name if it serves; one that does not is forgotten.
func (p *pages) take(name string, serves func(*made) bool) (m made, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.list, func(m made) bool { return m.name == name })
	if i < 0 {
		return m, false
	}
	m = p.list[i]
	p.list = slices.Delete(p.list, i, i+1)
	if ok = serves(&m); ok {
		p.list = append(p.list, m)
	}
	return m, ok
}

// shown is the version that get would give of a run that goes on.
func (p *pages) shown(name, version string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.list {
		if m.name == name && p.now().Before(m.until) {
			return m.version
		}
	}
	return version
}

func (p *pages) size() int {
	n := 0
	for _, m := range p.list {
		n += len(m.data)
	}
	return n
}

// safely makes a panic an error: a folder that nobody foresaw is no reason to lose the connection without a word.
func safely(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the page cannot be made: %v", p)
		}
	}()
	return f()
}

// bounded is a buffer that does not grow for ever.
type bounded struct{ bytes.Buffer }

// Write appends, and refuses what makes the page too long.
func (b *bounded) Write(data []byte) (int, error) {
	if b.Len()+len(data) > maxPage {
		return 0, errors.New("the page has more than 128 MiB: triage report writes it into a file")
	}
	return b.Buffer.Write(data)
}
