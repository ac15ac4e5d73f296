//go:build unix

package forge

import (
	"os/exec"
	"syscall"
)

// confine puts the program into a group of its own, so that its children end
// with it.
func confine(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
