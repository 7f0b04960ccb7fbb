package results

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/triagebench/triage/pkg/triage"
)

// temporary is the ending of a file that is not complete yet.
const temporary = ".part"

// WriteFile writes a file as a whole: write puts it under a temporary name, which becomes the final one only when
// everything is on disk. On any error nothing is left behind and an earlier file stays as it was.
func WriteFile(root *os.Root, name string, write func(io.Writer) error) (err error) {
	part := name + temporary
	f, err := root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
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
