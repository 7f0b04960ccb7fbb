//go:build unix

package results

import (
	"errors"
	"os"
	"syscall"
)

// errLocked says that another process holds the lock.
var errLocked = errors.New("another process is writing it")

// Lock takes the file for this process, until it is closed or the process ends, however that comes.
func Lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
