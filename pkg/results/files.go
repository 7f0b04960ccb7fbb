package results

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/triagebench/triage/pkg/triage"
)

// temporary is the ending of a file that is not complete yet; each has a number before it, so that two writers do not meet.
const temporary = ".part"

// firsts is how many names are tried for a temporary file.
const firsts = 1000

// openPart makes a temporary file that nobody else has.
func openPart(root *os.Root, name string) (*os.File, string, error) {
	for i := range firsts {
		part := fmt.Sprintf("%s.%d%s", name, i, temporary)
		f, err := root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err == nil || !errors.Is(err, os.ErrExist) {
			return f, part, err
		}
	}
	return nil, "", fmt.Errorf("%d files such as %s.0%s stand in the way: remove them", firsts, name, temporary)
}

// removeParts removes temporary files of a name that a killed process has left. The caller knows that nobody else writes it now.
func removeParts(root *os.Root, name string) error {
	list, err := fs.Glob(root.FS(), name+".*"+temporary)
	if err != nil {
		return fileError("list", root, name, err)
	}
	for _, part := range list {
		if err := ignoreMissing(root.Remove(part)); err != nil {
			return fileError("remove", root, part, err)
		}
	}
	return nil
}

// isOurs tells whether a file is a results file that this program wrote.
func isOurs(root *os.Root, name string) bool {
	f, err := OpenRegular(root, name)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // opened for reading
	data, err := io.ReadAll(io.LimitReader(f, maxLine))
	return err == nil && bytes.Contains(data, []byte(`"schema": "`+Schema+`"`))
}

// CheckTarget says whether a results file may be written under a name: where nothing stands, or an earlier results file.
// Devices and pipes, such as /dev/null, are written to as they are. Everything else is refused, so that no secret, run or
// data is lost to a slip.
func CheckTarget(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fileError("write", root, name, err)
	case info.Mode()&(os.ModeDevice|os.ModeNamedPipe) != 0, info.Mode().IsRegular() && (info.Size() == 0 || isOurs(root, name)):
		return nil
	case info.IsDir():
		return fileError("write", root, name, errors.New("it is a folder"))
	case info.Mode().IsRegular():
		return fileError("write", root, name, errors.New("a file that is no results file stands there: remove it, or give another name"))
	}
	return fileError("write", root, name, fmt.Errorf("it is no regular file (%s)", info.Mode().Type()))
}

// WriteFile writes a file as a whole: write puts it under a temporary name, which becomes the final one only when
// everything is on disk. On any error nothing is left behind and an earlier file stays as it was.
func WriteFile(root *os.Root, name string, write func(io.Writer) error) (err error) {
	if info, err := root.Lstat(name); err == nil && info.Mode()&(os.ModeDevice|os.ModeNamedPipe) != 0 {
		return writeThrough(root, name, write)
	}
	f, part, err := openPart(root, name)
	if err != nil {
		return fileError("create", root, name, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreMissing(root.Remove(part)))
		}
	}()
	w := bufio.NewWriterSize(f, 1<<16)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fileError("write", root, name, err)
	}
	if err := root.Rename(part, name); err != nil {
		return fileError("rename", root, name, err)
	}
	return nil
}

// writeThrough writes to a device or a pipe, which must not be replaced by a file.
func writeThrough(root *os.Root, name string, write func(io.Writer) error) error {
	f, err := root.OpenFile(name, os.O_WRONLY, 0)
	if err == nil {
		err = errors.Join(write(f), f.Close())
	}
	if err != nil {
		return fileError("write", root, name, err)
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// fileError names the whole path and the cause once.
func fileError(doing string, root *os.Root, name string, err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		err = link.Err
	}
	return &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf("%s %s", doing, filepath.Join(root.Name(), name)), Err: err}
}
