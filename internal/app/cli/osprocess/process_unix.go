//go:build unix

package osprocess

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Detached makes a process outlive the terminal it was started from.
func Detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// End asks a process to end.
func End(pid int) error { return syscall.Kill(pid, syscall.SIGTERM) }

// Alive reports whether a process has this number.
func Alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// HandedOn are the signals that exec passes to its command.
func HandedOn() []os.Signal {
	return []os.Signal{
		syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2,
	}
}

// FromTerminal reports whether the terminal has sent the signal to the command too.
func FromTerminal(s os.Signal) bool {
	if s != syscall.SIGINT && s != syscall.SIGQUIT {
		return false
	}
	foreground, err := unix.IoctlGetInt(0, unix.TIOCGPGRP)
	return err == nil && foreground == unix.Getpgrp()
}
