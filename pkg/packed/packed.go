// Package packed makes generated data small enough to be part of the binary while it stays text in the repository: gzip in lines
// of base64. It is no format for users' files. [Pack] and [Unpack] are for one piece of data, [PackFiles] and [Files] for a folder.
package packed

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// lineBytes is how many bytes a line of a packed file carries.
const lineBytes = 96

// Pack makes text of data that is small enough to embed: gzip in lines of base64. The bytes that it gives may differ between
// versions of Go; [Unpack] always gives data again.
func Pack(data []byte) ([]byte, error) {
	var small bytes.Buffer
	w, err := gzip.NewWriterLevel(&small, gzip.BestCompression)
	if err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	if _, err := w.Write(data); err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	var out []byte
	for left := small.Bytes(); len(left) > 0; {
		n := min(len(left), lineBytes)
		out = append(base64.StdEncoding.AppendEncode(out, left[:n]), '\n')
		left = left[n:]
	}
	return out, nil
}

var errMore = errors.New("there is more behind it")

// Unpack gives what Pack was given, or an error where text is not whole, was changed (its checksum says so), or has more behind it.
func Unpack(text []byte) ([]byte, error) {
	from := bufio.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(text)))
	r, err := gzip.NewReader(from)
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	r.Multistream(false)
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	if _, err := from.Peek(1); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("unpack: %w", errMore)
	}
	return data, nil
}

// PackFiles packs the files of fsys whose names match one of the patterns (of [fs.Glob]), in the order of their names. A pattern that
// matches nothing is an error.
func PackFiles(fsys fs.FS, patterns ...string) ([]byte, error) {
	var all bytes.Buffer
	w := zip.NewWriter(&all)
	for _, pattern := range patterns {
		names, err := fs.Glob(fsys, pattern)
		if err != nil || len(names) == 0 {
			return nil, fmt.Errorf("pack: %q matches no file: %w", pattern, cmp.Or(err, fs.ErrNotExist))
		}
		for _, name := range names {
			data, err := fs.ReadFile(fsys, name)
			if err != nil {
				return nil, fmt.Errorf("pack: %w", err)
			}
			f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store}) // deflated as a whole: the files resemble each other
			if err != nil {
				return nil, fmt.Errorf("pack %s: %w", name, err)
			}
			if _, err := f.Write(data); err != nil {
				return nil, fmt.Errorf("pack %s: %w", name, err)
			}
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	return Pack(all.Bytes())
}

// Files gives the files of [PackFiles] to read, at their names. It may be read by several goroutines.
func Files(text []byte) (fs.FS, error) {
	data, err := Unpack(text)
	if err != nil {
		return nil, err
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	return r, nil
}
