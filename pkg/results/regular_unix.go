//go:build unix

package results

import "syscall"

// withoutWaiting keeps an open from waiting for the other end of a pipe.
const withoutWaiting = syscall.O_NONBLOCK
