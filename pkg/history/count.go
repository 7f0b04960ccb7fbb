package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/triagebench/triage/pkg/triage"
)

// maxLine is the longest line of a journal that is looked at: 256 MiB.
const maxLine = 256 << 20

// counter counts the episodes of a journal. It reads on where it stopped, so that a journal that grows costs what was added.
type counter struct {
	file   fs.FileInfo // what was read
	offset int64       // of what comes after the last whole line
	ended  map[triage.Key]bool
	of     map[share]int // how many there are of an agent on a task
	broke  int
}

// share is what an agent plays of a task.
type share struct{ agent, task string }

// read counts what came since. A last line that is not whole is left for the next time. It begins anew with another file, or
// one that became shorter.
func (c *counter) read(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if c.file == nil || !os.SameFile(c.file, info) || info.Size() < c.offset {
		*c = counter{ended: map[triage.Key]bool{}, of: map[share]int{}}
	}
	c.file = info
	if _, err := f.Seek(c.offset, io.SeekStart); err != nil {
		return err
	}
	r := bufio.NewReaderSize(f, 1<<16)
	var line []byte
	for {
		line = line[:0]
		for {
			part, err := r.ReadSlice('\n')
			if line = append(line, part...); len(line) > maxLine {
				return fmt.Errorf("the line at byte %d is longer than %d MiB", c.offset, maxLine>>20)
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err == nil {
				break
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return err
			}
		}
		if err := c.take(line); err != nil {
			if _, peek := r.Peek(1); errors.Is(peek, io.EOF) {
				return nil // it may be torn
			}
			return fmt.Errorf("the line at byte %d is not an episode: %w", c.offset, err)
		}
		c.offset += int64(len(line))
	}
}

var (
	keyHead  = []byte(`{"key":`)
	stepHead = []byte(`,"index":`)
	endMark  = []byte(`"ended":"`)
	endError = []byte(string(triage.EndedError) + `"`)
)

// take counts a line: an episode, or a step of one that goes on, which counts nothing. Only its key and its end are read: what
// stands between is the most of it. In texts of JSON every quotation mark has a backslash, so that the last mark is the end's.
func (c *counter) take(line []byte) error {
	rest, ok := bytes.CutPrefix(line, keyHead)
	if !ok {
		return errors.New("it does not begin with a key")
	}
	dec := json.NewDecoder(bytes.NewReader(rest))
	var key triage.Key
	if err := dec.Decode(&key); err != nil {
		return err
	}
	if err := key.Validate(); err != nil {
		return err
	}
	rest = rest[dec.InputOffset():]
	if bytes.HasPrefix(rest, stepHead) {
		return nil
	}
	at := bytes.LastIndex(rest, endMark)
	if at < 0 {
		return errors.New("it does not say how it ended")
	}
	was, again := c.ended[key]
	switch {
	case was:
		c.broke--
	case !again:
		c.of[share{key.Agent, key.Task}]++
	}
	broke := bytes.HasPrefix(rest[at+len(endMark):], endError)
	if c.ended[key] = broke; broke {
		c.broke++
	}
	return nil
}

// done is the number of episodes, each counted once however often it stands there.
func (c *counter) done() int { return len(c.ended) }
