//go:build unix

package cli

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the program the leader of a process group, so that a Ctrl-C is ours alone and nothing it starts is left behind.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills all processes of the program's group.
func killGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // a group that has ended is as good
}
