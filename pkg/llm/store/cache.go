package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/triagebench/triage/pkg/llm/wire"
)

// Mode says what a cache does.
type Mode string

// The modes. The zero value is On.
const (
	On      Mode = "on"      // reads and writes
	Off     Mode = "off"     // does neither
	Read    Mode = "read"    // reads, and writes nothing: a miss goes to the network and is not kept
	Refresh Mode = "refresh" // writes, and reads nothing: every call goes to the network once more
)

// Modes lists the modes, for help texts.
func Modes() []Mode { return []Mode{On, Off, Read, Refresh} }

// ParseMode reads a mode's name.
func ParseMode(name string) (Mode, error) {
	if m := Mode(name); slices.Contains(Modes(), m) {
		return m, nil
	}
	return "", fmt.Errorf("cache mode %q: allowed are on, off, read and refresh", name)
}

func (m Mode) reads() bool  { return m == On || m == Read }
func (m Mode) writes() bool { return m == On || m == Refresh }

// Counts say what a cache did since it was opened. Each Get in a mode that reads is a hit or a miss; the damaged are files
// that were there and could not be used, entries (misses too) and what was learned. Failed are the answers that could not be
// kept, Puts those that were.
type Counts struct{ Hits, Misses, Puts, Failed, Damaged int64 }

// CacheOptions are for [OpenCache].
type CacheOptions struct {
	Mode Mode
	// Now is the clock by which what killed processes left behind is old. Needed in the modes that write.
	Now func() time.Time
	// Redact takes secrets out of URLs and bodies before they are kept; nil: they stay as they are.
	Redact Redact
}

// Cache keeps answers in a folder, one file each, for good and for any number of processes at a time. What is read is
// checked: a file that is cut short, damaged or another's is a miss, and the next Put replaces it.
type Cache struct {
	root   *os.Root
	mode   Mode
	redact Redact
	prefix string // of the names of temporary files
	number atomic.Int64

	hits, misses, puts, failed, damaged atomic.Int64
}

// The folders of a cache, beside the 256 of the entries, which are the first byte of their keys in hexadecimals.
const (
	tempDir    = "tmp"
	learnedDir = "learned"
)

// tempAge is how old a temporary file is before it is known to be of a process that was killed.
const tempAge = time.Hour

// maxEntry is the size of the longest entry: each byte of a body may be escaped as six.
const maxEntry = 6*wire.MaxBody + 1<<16

// entrySchema is the version of the entries' form.
const entrySchema = "triage.cache/1"

type entry struct {
	Schema string `json:"schema"`
	kept
}

// OpenCache opens the cache in a folder, which may be empty. In a mode that writes it removes temporary files that are older
// than an hour. In mode Off root may be nil.
func OpenCache(root *os.Root, o CacheOptions) (*Cache, error) {
	if o.Mode == "" {
		o.Mode = On
	}
	if _, err := ParseMode(string(o.Mode)); err != nil {
		return nil, err
	}
	c := &Cache{root: root, mode: o.Mode, redact: o.Redact}
	if !c.mode.writes() {
		return c, nil
	}
	if o.Now == nil {
		return nil, errors.New("open cache: there is no clock")
	}
	now := o.Now()
	// Names need not be unique for the entries to be right, since the files are created exclusively; it saves attempts.
	c.prefix = strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(now.UnixNano(), 36) + "-"
	if err := root.MkdirAll(tempDir, 0o755); err != nil {
		return nil, fileError("create cache folder", root, tempDir, err)
	}
	c.sweep(now)
	return c, nil
}

// sweep removes old temporary files. They do no harm, so that errors do not matter; another process may sweep as well.
func (c *Cache) sweep(now time.Time) {
	list, err := fs.ReadDir(c.root.FS(), tempDir)
	if err != nil {
		return
	}
	for _, e := range list {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > tempAge {
			_ = c.root.Remove(tempDir + "/" + e.Name())
		}
	}
}

// Mode gives the mode.
func (c *Cache) Mode() Mode { return c.mode }

// Counts gives what was done so far.
func (c *Cache) Counts() Counts {
	return Counts{Hits: c.hits.Load(), Misses: c.misses.Load(), Puts: c.puts.Load(), Failed: c.failed.Load(), Damaged: c.damaged.Load()}
}

// Get gives the body that is kept for the key. It never gives an error: what cannot be read is a miss, and counted as damaged.
func (c *Cache) Get(k wire.Key) ([]byte, bool, error) {
	if !c.mode.reads() {
		return nil, false, nil
	}
	id := identify(k, c.redact)
	body, err := c.read(&id)
	if err == nil {
		c.hits.Add(1)
		return body, true, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		c.damaged.Add(1)
	}
	c.misses.Add(1)
	return nil, false, nil
}

func (c *Cache) read(id *kept) ([]byte, error) {
	data, err := readFile(c.root, entryName(id.Key), maxEntry)
	if err != nil {
		return nil, err
	}
	e, body, err := decodeEntry(data)
	if err != nil {
		return nil, err
	}
	if e.Key != id.Key {
		return nil, fmt.Errorf("it is the entry of %s", e.Key)
	}
	return body, nil
}

// Put keeps the body for the key, in the place of what was there. An error means that it is not kept; the body itself is good.
func (c *Cache) Put(k wire.Key, body []byte) error {
	if !c.mode.writes() {
		return nil
	}
	if err := c.put(k, body); err != nil {
		c.failed.Add(1)
		return err
	}
	c.puts.Add(1)
	return nil
}

func (c *Cache) put(k wire.Key, body []byte) error {
	e, err := newKept(k, body, c.redact)
	if err != nil {
		return err
	}
	data, err := encode(entry{Schema: entrySchema, kept: e})
	if err != nil {
		return err
	}
	return c.write(entryName(e.Key), data)
}

func entryName(key string) string { return key[:2] + "/" + key[2:] + ".json" }

// decodeEntry reads and checks a file of the cache.
func decodeEntry(data []byte) (kept, []byte, error) {
	var e entry
	if err := decode(data, &e); err != nil {
		return kept{}, nil, err
	}
	if e.Schema != entrySchema {
		return kept{}, nil, fmt.Errorf("schema %q is not %s", e.Schema, entrySchema)
	}
	body, err := e.body()
	return e.kept, body, err
}

// write puts a file under a name as a whole: readers see what was there or all of it.
//
// It is not forced to disk. That would cost milliseconds for each answer, and all that a crash of the machine could do is to
// lose entries or cut them short, which are misses.
func (c *Cache) write(name string, data []byte) error {
	for attempt := 0; ; attempt++ {
		temp, err := c.writeTemp(data)
		if err == nil {
			if err = c.root.Rename(temp, name); err == nil {
				return nil
			}
			_ = c.root.Remove(temp) // the first error counts; sweep finds what stays
		}
		// The folder is not there yet, or someone cleared the cache while it is in use.
		if attempt > 2 || !errors.Is(err, fs.ErrNotExist) {
			return fileError("write cache entry", c.root, name, err)
		}
		for _, dir := range []string{tempDir, name[:strings.IndexByte(name, '/')]} {
			if err := c.root.MkdirAll(dir, 0o755); err != nil {
				return fileError("create cache folder", c.root, dir, err)
			}
		}
	}
}

// writeTemp gives the name of a new file that has the data. Where it fails no file stays.
func (c *Cache) writeTemp(data []byte) (string, error) {
	for {
		name := tempDir + "/" + c.prefix + strconv.FormatInt(c.number.Add(1), 10)
		f, err := c.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(data)
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			_ = c.root.Remove(name) // the write's error counts
			return "", err
		}
		return name, nil
	}
}
