//go:build !unix

package cli

import (
	"os"
	"syscall"
)

// detached makes a process outlive the console window it was started from.
func detached() *syscall.SysProcAttr {
	const newProcessGroup = 0x200
	return &syscall.SysProcAttr{CreationFlags: newProcessGroup}
}

// endProcess ends a process. There is no signal that asks it to: what it had
// acknowledged is durable, requests in flight are cut.
func endProcess(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}

// alive reports whether a process has this number.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release() // it was only looked for
	return true
}

// handedOn are the signals that exec passes to its command.
func handedOn() []os.Signal { return []os.Signal{os.Interrupt} }

// fromTerminal reports whether the terminal has sent the signal to the command too: here
// every program of the console window gets it.
func fromTerminal(s os.Signal) bool { return s == os.Interrupt }
