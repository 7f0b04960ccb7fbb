package history

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// The limits of a listing. A folder of results holds runs, or folders of runs; whoever names / by a slip is not to wait for hours.
const (
	maxDepth   = 5        // folders below the one that is listed
	maxFound   = 200_000  // files and folders that are looked at
	maxLone    = 64 << 20 // bytes of a file that may be a results file
	loneSuffix = ".json"
)

// Scanner lists a folder of results again and again, and reads again only what changed. It may be used by several goroutines.
type Scanner struct {
	root  *os.Root
	mu    sync.Mutex
	known map[string]*known
}

// known is what is remembered of a run folder or a lone file.
type known struct {
	signature string
	entry     *Entry
	count     counter
}

// NewScanner lists the folder that root stands for. The root stays the caller's to close, after the last listing.
func NewScanner(root *os.Root) *Scanner { return &Scanner{root: root, known: map[string]*known{}} }

// Scan lists everything, in the order of [Sort]. It looks into folders down to the fifth level, follows no symbolic links and
// leaves out folders whose names begin with a dot. What cannot be read is an entry that says why. The error is about the folder
// itself: that it cannot be read, or holds far more than results.
func (s *Scanner) Scan() ([]*Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &walk{scanner: s, fsys: s.root.FS()}
	if err := w.folder(".", 0); err != nil {
		return nil, &triage.Error{Code: triage.CodeFiles, Message: "list " + s.root.Name(), Err: err}
	}
	keep := make(map[string]*known, len(w.entries))
	for _, e := range w.entries {
		if k := s.known[e.Path]; k != nil {
			keep[e.Path] = k
		}
	}
	s.known = keep
	Sort(w.entries)
	return w.entries, nil
}

// Look reads the run folder at a path, such as [Entry.Path] has it. A folder that is gone or holds no run is an entry that is
// [Broken] and says so.
func (s *Scanner) Look(name string) *Entry {
	if !fs.ValidPath(name) {
		return &Entry{Path: name, State: Broken, Problem: "it is no path below the folder"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list, err := fs.ReadDir(s.root.FS(), name)
	switch {
	case err != nil:
		delete(s.known, name)
		return &Entry{Path: name, State: Broken, Problem: cause(err).Error()}
	case !isRun(list):
		delete(s.known, name)
		return &Entry{Path: name, State: Broken, Problem: "it holds no run: it has no " + results.RunFile}
	}
	return s.run(name, list)
}

// walk is one listing.
type walk struct {
	scanner *Scanner
	fsys    fs.FS
	found   int
	entries []*Entry
}

func (w *walk) folder(dir string, depth int) error {
	list, err := fs.ReadDir(w.fsys, dir)
	if err != nil && depth == 0 {
		return cause(err)
	}
	if err != nil {
		w.entries = append(w.entries, &Entry{Path: dir, State: Broken, Problem: cause(err).Error()})
		return nil
	}
	if w.found += len(list); w.found > maxFound {
		return fmt.Errorf("there are more than %d files and folders: name a folder of runs", maxFound)
	}
	if isRun(list) {
		w.entries = append(w.entries, w.scanner.run(dir, list))
		return nil
	}
	for _, d := range list {
		name := path.Join(dir, d.Name())
		switch {
		case d.IsDir() && depth < maxDepth && !strings.HasPrefix(d.Name(), "."):
			if err := w.folder(name, depth+1); err != nil {
				return err
			}
		case d.Type().IsRegular() && strings.HasSuffix(d.Name(), loneSuffix):
			if e := w.scanner.lone(name, d); e != nil {
				w.entries = append(w.entries, e)
			}
		}
	}
	return nil
}

// isRun tells whether a folder is that of a run, whole or not.
func isRun(list []fs.DirEntry) bool {
	for _, d := range list {
		if n := d.Name(); n == results.RunFile || n == results.JournalFile || n == results.EpisodesFile {
			return true
		}
	}
	return false
}

// Ours tells whether a run writes a file of that name into its folder, or one that it left there half-written.
func Ours(name string) bool {
	if whole, ok := strings.CutSuffix(name, ".part"); ok {
		if i := strings.LastIndexByte(whole, '.'); i > 0 && i+1 < len(whole) && strings.Trim(whole[i+1:], "0123456789") == "" {
			name = whole[:i]
		}
	}
	switch name {
	case results.RunFile, results.JournalFile, results.EpisodesFile, results.LearnedFile, results.CallsFile:
		return true
	}
	return strings.HasPrefix(name, results.ResultsPrefix) && strings.HasSuffix(name, results.ResultsSuffix)
}

// signature says what a folder's files are like: it changes when a run writes.
func signature(list []fs.DirEntry) string {
	var b strings.Builder
	for _, d := range list {
		info, err := d.Info()
		if err != nil { // gone since
			fmt.Fprintf(&b, "%q gone\n", d.Name())
			continue
		}
		fmt.Fprintf(&b, "%q %v %d %d\n", d.Name(), info.Mode(), info.Size(), info.ModTime().UnixNano())
	}
	return b.String()
}

// run gives the entry of a run folder.
func (s *Scanner) run(dir string, list []fs.DirEntry) *Entry {
	k, sign := s.known[dir], signature(list)
	if k != nil && k.signature == sign && k.entry.State != Running {
		return k.entry
	}
	if k == nil {
		k = &known{}
		s.known[dir] = k
	}
	k.signature = sign
	e := &Entry{Path: dir}
	if err := guarded(func() error { return s.read(dir, list, k, e) }); err != nil {
		e.State, e.Problem = Broken, err.Error()
	}
	e.Version = version(sign, e)
	k.entry = e
	return e
}

// version names what an entry was made of.
func version(sign string, e *Entry) string {
	sum := sha256.Sum256([]byte(sign + string(e.State)))
	return hex.EncodeToString(sum[:8])
}

// lone gives the entry of a results file that lies in no run folder, or nil where the file is another one.
func (s *Scanner) lone(name string, d fs.DirEntry) *Entry {
	k, sign := s.known[name], signature([]fs.DirEntry{d})
	if k != nil && k.signature == sign {
		return k.entry
	}
	k = &known{signature: sign}
	data, err := s.readLone(name)
	switch {
	case err != nil:
		k.entry = &Entry{Path: name, Lone: true, State: Broken, Problem: cause(err).Error()}
	case bytes.Contains(data, []byte(`"`+results.Schema+`"`)):
		e := &Entry{Path: name, Lone: true}
		if err := guarded(func() error { return e.alone(data) }); err != nil {
			e.State, e.Problem = Broken, err.Error()
		}
		k.entry = e
	default:
		return nil
	}
	k.entry.Version = version(sign, k.entry)
	s.known[name] = k
	return k.entry
}

// readLone reads a file as far as a results file may be long; a longer one is none.
func (s *Scanner) readLone(name string) (data []byte, err error) {
	f, err := results.OpenRegular(s.root, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if data, err = io.ReadAll(io.LimitReader(f, maxLone+1)); len(data) > maxLone {
		return nil, err
	}
	return data, err
}

// alone fills the entry of a lone results file.
func (e *Entry) alone(data []byte) error {
	r, err := results.ReadResults(bytes.NewReader(data), path.Base(e.Path))
	if err != nil {
		return err
	}
	if e.State, e.Agents = Complete, []string{r.Agent}; len(r.Settings) > 0 {
		e.Digest = results.Settings(r.Settings).Digest()
	}
	e.add(r)
	e.Done, e.Broke = episodes(e.Results)
	e.Planned = e.Done
	return nil
}

// guarded makes a panic an error: one file that nobody foresaw is one entry that cannot be read, and not the end of the list.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it holds what nobody foresaw: %v", p)
		}
	}()
	return f()
}

// cause is what went wrong, without the path that the entry has already.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return cmp.Or(err, errors.New("unknown"))
}
