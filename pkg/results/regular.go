package results

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// OpenRegular opens a regular file for reading. Anything else that a folder may hold under a name, such as a pipe, on which reading would
// wait for ever, is an error, as is everything that the system refuses.
func OpenRegular(root *os.Root, name string) (*os.File, error) {
	return openRegular(root, name, os.O_RDONLY)
}

func openRegular(root *os.Root, name string, flag int) (*os.File, error) {
	f, err := root.OpenFile(name, flag|withoutWaiting, 0o644)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("it is no regular file (%s)", info.Mode().Type())
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// readRegular reads a whole regular file.
func readRegular(root *os.Root, name string) (data []byte, err error) {
	f, err := OpenRegular(root, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(f)
}
