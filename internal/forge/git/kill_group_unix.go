//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// killGroup puts the program into a process group of its own, so that its children
// end with it.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
