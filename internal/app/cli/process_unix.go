//go:build unix

package cli

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// detached makes a process outlive the terminal it was started from.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// endProcess asks a process to end.
func endProcess(pid int) error { return syscall.Kill(pid, syscall.SIGTERM) }

// alive reports whether a process has this number.
func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// handedOn are the signals that exec passes to its command.
func handedOn() []os.Signal {
	return []os.Signal{
		syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2,
	}
}

// fromTerminal reports whether the terminal has sent the signal to the command too.
func fromTerminal(s os.Signal) bool {
	if s != syscall.SIGINT && s != syscall.SIGQUIT {
		return false
	}
	foreground, err := unix.IoctlGetInt(0, unix.TIOCGPGRP)
	return err == nil && foreground == unix.Getpgrp()
}
