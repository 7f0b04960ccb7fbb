//go:build !unix

package results

// withoutWaiting is nothing: these systems have no pipes among their files.
const withoutWaiting = 0
