package results

import "errors"

// ErrLocked is what [Lock] gives where another process holds the lock.
var ErrLocked = errors.New("another process is writing it")
