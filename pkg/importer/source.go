package importer

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// Source is one input as a user names it: a file, a folder or a stream.
type Source struct {
	// Name is what errors and the report call it.
	Name string
	// Size is how many bytes it has, for progress; 0 where that is not known.
	Size int64
	// Open opens it; what it gives is closed when it has been read.
	Open func() (*Opened, error)
}

// Opened is a source that is open.
type Opened struct {
	// Read gives the bytes of a file or a stream; it is nil for a folder.
	Read io.Reader
	// At reads a file at any place and Size is how large it is; they are nil and 0 for a stream.
	At   io.ReaderAt
	Size int64
	// Folder is set for a folder.
	Folder fs.FS
	// Close lets it go; it may be nil.
	Close func() error
}

// OpenedFile is a file that was opened for reading, or a folder, which dirFS gives as a file system.
func OpenedFile(f *os.File, dirFS func(dir string) fs.FS) (*Opened, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	switch {
	case info.IsDir():
		return &Opened{Folder: dirFS(f.Name()), Close: f.Close}, nil
	case info.Mode().IsRegular():
		return &Opened{Read: f, At: f, Size: info.Size(), Close: f.Close}, nil
	}
	return &Opened{Read: f, Close: f.Close}, nil
}

// close closes what was read: nothing is lost if that goes wrong.
func (o *Opened) close() {
	if o.Close != nil {
		_ = o.Close() // opened for reading
	}
}

// Limits bound what archives unpack to. The zero value has the usual limits.
type Limits struct {
	// Ratio is how many bytes a byte of an archive may become on the whole, once more than Free bytes came out; 400 and 256 MiB.
	Ratio, Free int64
	// Total is how many bytes an archive may become; 64 GiB.
	Total int64
	// Members is how many files an archive may hold; a million.
	Members int
}

func (l Limits) orUsual() Limits {
	if l.Ratio == 0 {
		l.Ratio = 400
	}
	if l.Free == 0 {
		l.Free = 256 << 20
	}
	if l.Total == 0 {
		l.Total = 64 << 30
	}
	if l.Members == 0 {
		l.Members = 1_000_000
	}
	return l
}

// meter counts the bytes of one source that were read, and of what they became.
type meter struct {
	limits         Limits
	read, unpacked int64
	size           int64
}

// packed is how many bytes of the source went into what came out: reading a place twice counts once at most.
func (m *meter) packed() int64 {
	if m.size > 0 {
		return min(m.read, m.size)
	}
	return m.read
}

// meteredReader counts what is read.
type meteredReader struct {
	r io.Reader
	m *meter
}

// Read reads.
func (r *meteredReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.m.read += int64(n)
	return n, err
}

// meteredAt counts what is read.
type meteredAt struct {
	r io.ReaderAt
	m *meter
}

// ReadAt reads.
func (r *meteredAt) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.r.ReadAt(p, off)
	r.m.read += int64(n)
	return n, err
}
