//go:build !unix

package osprocess

import (
	"os"
	"syscall"
)

// Detached makes a process outlive the console window it was started from.
func Detached() *syscall.SysProcAttr {
	const newProcessGroup = 0x200
	return &syscall.SysProcAttr{CreationFlags: newProcessGroup}
}

// End ends a process. There is no signal that asks it to: what it had
// acknowledged is durable, requests in flight are cut.
func End(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}

// Alive reports whether a process has this number.
func Alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release() // it was only looked for
	return true
}

// HandedOn are the signals that exec passes to its command.
func HandedOn() []os.Signal { return []os.Signal{os.Interrupt} }

// FromTerminal reports whether the terminal has sent the signal to the command too: here
// every program of the console window gets it.
func FromTerminal(s os.Signal) bool { return s == os.Interrupt }
