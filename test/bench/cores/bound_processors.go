package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// runBound runs this program on the first processors alone and returns what it prints.
// What it starts is bound to the same.
func runBound(ctx context.Context, processors int, args ...string) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, args...)
	// Interrupted, it ends its servers first.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", processors))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := startBound(cmd, processors); err != nil {
		return nil, err
	}
	err = cmd.Wait()
	return out.Bytes(), err
}

// startBound starts a command from a thread that is bound: the child begins with the
// processors of the thread that made it.
func startBound(cmd *exec.Cmd, processors int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return err
	}
	first, err := firstOf(all, processors)
	if err != nil {
		return err
	}
	if err := unix.SchedSetaffinity(0, &first); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	return unix.SchedSetaffinity(0, &all)
}

// firstOf are the first so many of a set of processors.
func firstOf(all unix.CPUSet, processors int) (first unix.CPUSet, err error) {
	for cpu, left := 0, processors; left > 0; cpu++ {
		if cpu >= 64*len(all) {
			return first, fmt.Errorf("%d processors are wanted and %d there", processors, all.Count())
		}
		if all.IsSet(cpu) {
			first.Set(cpu)
			left--
		}
	}
	return first, nil
}
