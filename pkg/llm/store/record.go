package store

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"sync"

	"github.com/triagebench/triage/pkg/llm/wire"
)

// CassetteOptions are for [Record] and [Replay].
type CassetteOptions struct {
	// Settings are those of the present run that decide its calls, such as model and prompt, by name. They are noted when
	// recording; a replay that lacks an answer says which differ. They have no secrets.
	Settings map[string]string
	// Redact takes secrets out of URLs, bodies, settings and what was learned; nil: they stay as they are.
	Redact Redact
}

// Recorder writes a cassette. It has answers for nobody: Get finds nothing. Close it, or the cassette stays unsorted.
type Recorder struct {
	root   *os.Root
	redact Redact
	limit  int // of a file's bytes

	mu   sync.Mutex
	file *os.File // of the recording; nil after Close
	size int64    // of what is whole in it
	err  error    // the first of Put and SetLearned
}

// Record begins a recording in a folder, which may be empty. Where there is a cassette it adds to it: of two answers with
// one key the new one counts. Two recordings of one folder at a time are refused.
func Record(root *os.Root, o CassetteOptions) (*Recorder, error) {
	f, err := openRecording(root)
	if err != nil {
		return nil, err
	}
	r := &Recorder{root: root, redact: o.Redact, limit: maxPart, file: f}
	if err := r.begin(o.Settings); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return r, nil
}

// openRecording opens the file of the recording and locks it.
func openRecording(root *os.Root) (*os.File, error) {
	for range 10 {
		f, err := root.OpenFile(RecordingFile, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, fileError("create", root, RecordingFile, err)
		}
		if err := lock(f); err != nil {
			return nil, errors.Join(fileError("record into", root, RecordingFile, err), f.Close())
		}
		// Another recording may have closed, and removed the file, before it was locked here.
		here, err := f.Stat()
		if err == nil {
			var there os.FileInfo
			if there, err = root.Stat(RecordingFile); err == nil && os.SameFile(here, there) {
				return f, nil
			}
		}
		if err = errors.Join(f.Close(), err); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fileError("create", root, RecordingFile, err)
		}
	}
	return nil, fmt.Errorf("create %s: others keep removing it", place(root, RecordingFile))
}

// begin reads what is there, since a cassette that cannot be read must be known before calls are paid for, cuts off a torn
// last line and notes the settings.
func (r *Recorder) begin(settings map[string]string) error {
	_, size, err := load(r.root)
	if err != nil {
		return err
	}
	if err := r.file.Truncate(size); err != nil {
		return fileError("truncate", r.root, RecordingFile, err)
	}
	r.size = size
	h := head{Schema: cassetteSchema}
	if len(settings) > 0 {
		s := maps.Clone(settings)
		for name, value := range s {
			s[name] = r.redact.text(value)
		}
		h.Settings = []map[string]string{s}
	}
	return r.append(h)
}

// append adds a line. The caller has the lock, or the recorder for itself.
func (r *Recorder) append(v any) error {
	line, err := encode(v)
	if err != nil {
		return err
	}
	if r.file == nil {
		return fmt.Errorf("write %s: the recording is closed", place(r.root, RecordingFile))
	}
	// At a fixed place, so that what a failed write left behind is written over.
	if _, err := r.file.WriteAt(line, r.size); err != nil {
		return fileError("write", r.root, RecordingFile, err)
	}
	r.size += int64(len(line))
	return nil
}

// Get finds nothing.
func (*Recorder) Get(wire.Key) ([]byte, bool, error) { return nil, false, nil }

// Put records the body. When it returns, the answer is kept even if the process is killed. Close gives its first error again.
func (r *Recorder) Put(k wire.Key, body []byte) error {
	e, err := newKept(k, body, r.redact)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		err = r.append(e)
	}
	return r.note(err)
}

// note remembers the first error, since a recording that lacks an answer must not look like a whole one.
func (r *Recorder) note(err error) error {
	if r.err == nil {
		r.err = err
	}
	return err
}

// Learned finds nothing.
func (*Recorder) Learned(string) (wire.Learned, bool) { return wire.Learned{}, false }

// SetLearned notes what the endpoint has refused, so that the replay sends the same. Close gives its first error again.
func (r *Recorder) SetLearned(endpoint string, l wire.Learned) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.note(r.append(head{Schema: cassetteSchema, Learned: map[string]wire.Learned{r.redact.text(endpoint): cleanLearned(l, r.redact)}}))
}

// Close sorts the recording into the cassette, so that two recordings of the same calls are the same bytes. Should it be
// interrupted, at whatever place, nothing is lost: the folder can be replayed, and the next recording sorts it. It gives also
// the first error of Put and SetLearned, after it has kept the rest. A second call does nothing.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return nil
	}
	err := r.finish()
	if err == nil {
		// Before the lock goes with the file, or the next recording could begin in it.
		if err = r.root.Remove(RecordingFile); err != nil {
			err = fileError("remove", r.root, RecordingFile, err)
		}
	}
	if closeErr := r.file.Close(); closeErr != nil && err == nil {
		err = fileError("close", r.root, RecordingFile, closeErr)
	}
	r.file = nil
	return errors.Join(r.err, err)
}

func (r *Recorder) finish() error {
	t, _, err := load(r.root)
	if err != nil {
		return err
	}
	return r.settle(t)
}

// settle writes the files of the cassette.
func (r *Recorder) settle(t *tape) error {
	parts, err := t.render(r.limit)
	if err != nil {
		return err
	}
	// Answers move from one file to another. Until all files are written, that of the recording has every answer, and says so.
	for _, a := range t.sorted() {
		if err := r.append(a); err != nil {
			return err
		}
	}
	if err := r.append(head{Schema: cassetteSchema, Files: len(parts), Settings: t.settings, Learned: t.learned}); err != nil {
		return err
	}
	if err := r.file.Sync(); err != nil {
		return fileError("sync", r.root, RecordingFile, err)
	}
	for i, part := range parts {
		if err := r.replace(partName(i), part); err != nil {
			return err
		}
	}
	for i := len(parts); ; i++ {
		if err := r.root.Remove(partName(i)); errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return fileError("remove", r.root, partName(i), err)
		}
	}
}

// replace writes a file as a whole. Only the process that has the recording does so.
func (r *Recorder) replace(name string, data []byte) error {
	f, err := r.root.OpenFile(tempFile, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return fileError("create", r.root, tempFile, err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fileError("write", r.root, tempFile, err)
	}
	if err := r.root.Rename(tempFile, name); err != nil {
		return fileError("rename", r.root, name, err)
	}
	return nil
}
