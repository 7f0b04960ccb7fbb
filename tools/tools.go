// Package tools pins the linters in a module of its own, so that they never enter the program's. They are run as
// `go tool -modfile=tools/go.mod golangci-lint run` from the repository's root.
package tools
