package store

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"

	"github.com/triagebench/triage/pkg/llm/wire"
)

// The files of a cassette. The first has the head, a line of settings and counts, and then the answers, a line each, sorted
// by scope and key. What would make a file too long goes on in cassette-1.jsonl, cassette-2.jsonl and so on.
//
// While it is recorded answers are appended to the file of the recording, which Close works into the others. A recording
// that is killed leaves it, and it is read after them.
const (
	CassetteFile  = "cassette.jsonl"
	RecordingFile = "recording.jsonl"

	tempFile = "cassette.tmp"
)

// maxPart is the size in bytes that no file of a cassette passes, unless a single answer does.
const maxPart = 900 << 10

const cassetteSchema = "triage.cassette/1"

func partName(i int) string {
	if i == 0 {
		return CassetteFile
	}
	return "cassette-" + strconv.Itoa(i) + ".jsonl"
}

// head is the first line of a cassette. In the file of a recording there may be several, each with what was new; one that
// says how many files there are stands behind all answers of the cassette, also those of before the recording.
type head struct {
	Schema   string                  `json:"schema,omitempty"`
	Files    int                     `json:"files,omitempty"`
	Answers  int                     `json:"answers,omitempty"`
	Settings []map[string]string     `json:"settings,omitempty"` // of the recordings, without repetition, sorted by their JSON
	Learned  map[string]wire.Learned `json:"learned,omitempty"`  // by endpoint
}

// decodeLine reads a line of a cassette: a head where it has a schema, a checked answer otherwise.
func decodeLine(data []byte) (*head, *kept, error) {
	var line struct {
		head
		kept
	}
	if err := decode(data, &line); err != nil {
		return nil, nil, err
	}
	if line.Schema == "" {
		_, err := line.body()
		return nil, &line.kept, err
	}
	if line.Schema != cassetteSchema {
		return nil, nil, fmt.Errorf("schema %q is not %s", line.Schema, cassetteSchema)
	}
	if line.kept != (kept{}) {
		return nil, nil, errors.New("it is both a head and an answer")
	}
	return &line.head, nil, nil
}

// tape is a cassette in memory.
type tape struct {
	found    bool // there was a file at all
	answers  map[string]*kept
	settings []map[string]string // may repeat
	learned  map[string]wire.Learned
}

// add takes in a line. The later of two answers with one key counts.
func (t *tape) add(h *head, k *kept) {
	if h == nil {
		t.answers[k.Key] = k
		return
	}
	t.settings = append(t.settings, h.Settings...)
	maps.Copy(t.learned, h.Learned)
}

func newTape() *tape { return &tape{answers: map[string]*kept{}, learned: map[string]wire.Learned{}} }

// load reads a cassette and what a recording has added to it. It gives the length of what is whole in the recording's file.
func load(root *os.Root) (*tape, int64, error) {
	added := newTape()
	complete := false
	size, err := eachLine(root, RecordingFile, true, func(_ int, h *head, k *kept) error {
		added.found = true
		complete = complete || h != nil && h.Files > 0
		added.add(h, k)
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, err
	}
	if complete {
		return added, size, nil // the other files are of two states
	}
	t, err := loadParts(root)
	if err != nil {
		return nil, 0, err
	}
	t.found = t.found || added.found
	t.add(&head{Settings: added.settings, Learned: added.learned}, nil)
	maps.Copy(t.answers, added.answers)
	return t, size, nil
}

// loadParts reads the files of a cassette that was closed, if there are any.
func loadParts(root *os.Root) (*tape, error) {
	t := newTape()
	first, err := t.readFirst(root)
	if err != nil {
		return nil, err
	}
	for i := 1; i < first.Files; i++ {
		if err := t.readPart(root, partName(i)); err != nil {
			return nil, err
		}
	}
	if len(t.answers) != first.Answers {
		return nil, fmt.Errorf("read %s: it says that there are %d answers, but there are %d: files of several cassettes are mixed",
			place(root, CassetteFile), first.Answers, len(t.answers))
	}
	return t, nil
}

// readFirst reads the file with the head and gives the head, an empty one where there is no such file.
func (t *tape) readFirst(root *os.Root) (*head, error) {
	first := &head{}
	_, err := eachLine(root, CassetteFile, false, func(n int, h *head, k *kept) error {
		switch {
		case n == 1 && h == nil:
			return errors.New("the first line is no head")
		case n == 1:
			first = h
		case h != nil:
			return errors.New("it is a second head")
		}
		t.found = true
		t.add(h, k)
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return first, nil
	case err == nil && !t.found:
		return nil, fmt.Errorf("read %s: it is empty", place(root, CassetteFile))
	}
	return first, err
}

func (t *tape) readPart(root *os.Root, name string) error {
	_, err := eachLine(root, name, false, func(_ int, h *head, k *kept) error {
		if h != nil {
			return errors.New("it is a second head")
		}
		t.add(h, k)
		return nil
	})
	return err
}

// eachLine calls f for the lines of a file and gives the length of what it read. With torn, a last line that has no end or
// cannot be read is left out.
func eachLine(root *os.Root, name string, torn bool, f func(n int, h *head, k *kept) error) (int64, error) {
	file, err := root.Open(name)
	if err != nil {
		return 0, fileError("open", root, name, err)
	}
	defer func() { _ = file.Close() }() // opened for reading
	r := bufio.NewReaderSize(file, 1<<16)
	size := int64(0)
	for n := 1; ; n++ {
		data, err := r.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return size, fileError("read", root, name, err)
		}
		if err != nil && (torn || len(data) == 0) {
			return size, nil
		}
		h, k, err := decodeLine(data)
		if err != nil && torn {
			if _, peek := r.Peek(1); errors.Is(peek, io.EOF) {
				return size, nil
			}
		}
		if err == nil {
			err = f(n, h, k)
		}
		if err != nil {
			return size, fmt.Errorf("%s:%d: not a line of a cassette: %w", place(root, name), n, err)
		}
		size += int64(len(data))
	}
}

// sorted gives the answers in the order of the files.
func (t *tape) sorted() []*kept {
	return slices.SortedFunc(maps.Values(t.answers), func(a, b *kept) int {
		return cmp.Or(cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Key, b.Key))
	})
}

// render gives the files of the cassette in their order, each of at most limit bytes if no answer is longer.
func (t *tape) render(limit int) ([][]byte, error) {
	head, err := t.renderHead(len(t.answers) + 1) // the longest: there are never more files
	if err != nil {
		return nil, err
	}
	parts := [][]byte{nil}
	room := limit - len(head)
	for _, a := range t.sorted() {
		line, err := encode(a)
		if err != nil {
			return nil, err
		}
		last := len(parts) - 1
		if len(line) > room && (last == 0 || len(parts[last]) > 0) {
			parts = append(parts, nil)
			last, room = last+1, limit
		}
		parts[last] = append(parts[last], line...)
		room -= len(line)
	}
	if head, err = t.renderHead(len(parts)); err != nil {
		return nil, err
	}
	parts[0] = append(head, parts[0]...)
	return parts, nil
}

func (t *tape) renderHead(files int) ([]byte, error) {
	settings, err := distinct(t.settings)
	if err != nil {
		return nil, err
	}
	return encode(head{Schema: cassetteSchema, Files: files, Answers: len(t.answers), Settings: settings, Learned: t.learned})
}

// distinct gives each set once, sorted by its JSON.
func distinct(list []map[string]string) ([]map[string]string, error) {
	texts := map[string]map[string]string{}
	for _, s := range list {
		text, err := encode(s)
		if err != nil {
			return nil, err
		}
		texts[string(text)] = s
	}
	var out []map[string]string
	for _, text := range slices.Sorted(maps.Keys(texts)) {
		out = append(out, texts[text])
	}
	return out, nil
}
