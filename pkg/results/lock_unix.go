//go:build unix

package results

import (
	"errors"
	"os"
	"syscall"
)

// CanLock says whether [Lock] keeps anybody out on this system.
const CanLock = true

// Lock takes the file for this process, until it is closed or the process ends, however that comes.
func Lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}
