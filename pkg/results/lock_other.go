//go:build !unix

package results

import "os"

// CanLock says whether [Lock] keeps anybody out on this system.
const CanLock = false

// Lock does nothing here: there is no lock that ends with its process on every one of these systems.
func Lock(*os.File) error { return nil }
