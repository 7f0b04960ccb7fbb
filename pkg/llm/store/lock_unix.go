//go:build unix

package store

import (
	"errors"
	"os"
	"syscall"
)

// lock takes the file until it is closed or the process ends, however that comes.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errors.New("another run is recording into this folder")
	}
	return err
}
