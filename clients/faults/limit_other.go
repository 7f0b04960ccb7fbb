//go:build !unix

package main

// raise gives how many files may be open: nobody knows here.
func raise() int { return 0 }
