//go:build unix

package main

import "syscall"

// descriptors is how many a process may have here.
const descriptors = 20000

// raise raises the limit of open files as far as it may, at most to 20,000, and gives what it is.
func raise() int {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 0
	}
	if l.Cur < descriptors {
		l.Cur = min(l.Max, descriptors)
		_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &l) // what it is now is read again
	}
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 0
	}
	return int(min(l.Cur, descriptors))
}
