//go:build !unix

package cli

import "os/exec"

// ownGroup does nothing: there are no process groups here.
func ownGroup(*exec.Cmd) {}

// killGroup kills the program; what it has started itself is beyond reach here.
func killGroup(cmd *exec.Cmd) {
	_ = cmd.Process.Kill() // one that has ended is as good
}
