package sandbox

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// tag is the variable by which the processes of a work folder are found again:
// those on the host that left their group, and those that a server killed at
// the wrong moment left half made. It tells a program nothing about the host.
func tag(dir string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(dir)) // never fails
	return "STOA_RUN=" + strconv.FormatUint(h.Sum64(), 36) + "."
}

// hosted is a program that runs with our own rights.
type hosted struct {
	cmd *exec.Cmd
	tag string
}

// startHost starts a program without a sandbox. It gets limits, a session of
// its own and nothing else.
func (s *Sandbox) startHost(spec Spec, io *streams) (program, error) {
	args := append([]string{"/bin/sh", "-c", limits(spec, false), "host"}, spec.Args...)
	cmd := &exec.Cmd{Path: "/bin/sh", Args: args, Dir: spec.Work, Stdin: io.in, Stdout: io.out, Stderr: io.err,
		ExtraFiles: spec.Files}
	own := tag(spec.Dir) + strconv.FormatUint(uint64(s.turn.Add(1)), 10)
	cmd.Env = append(spec.variables(), own)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	restore := s.affinity(spec.CPU)
	err := cmd.Start()
	restore()
	if err != nil {
		return nil, fmt.Errorf("%w: starting a program on the host: %w", ErrUnavailable, err)
	}
	return &hosted{cmd: cmd, tag: own}, nil
}

func (h *hosted) kill() {
	_ = syscall.Kill(-h.cmd.Process.Pid, syscall.SIGKILL) // it may have ended by itself
	sweep(h.tag)
}

// End ends what a killed server left running in a work folder. In a sandbox
// that is at most a process which was waiting to become one: from the moment it
// runs a program, a sandbox dies with its server.
func (s *Sandbox) End(dir string) { sweep(tag(dir)) }

// sweep ends what left the group but kept its environment. What changes both
// escapes it: that is what the sandbox is for.
func sweep(tag string) {
	processes, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return
	}
	for _, name := range processes {
		environ, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(environ, []byte(tag)) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil && pid != os.Getpid() {
			_ = syscall.Kill(pid, syscall.SIGKILL) // or gone already
		}
	}
}

func (h *hosted) exceededLimit() <-chan Exit { return nil }

// wait ends what the program left behind as soon as it is gone itself.
func (h *hosted) wait() (Exit, error) {
	_ = h.cmd.Wait() // the state says how it ended
	_ = syscall.Kill(-h.cmd.Process.Pid, syscall.SIGKILL)
	sweep(h.tag)
	exit := Exit{Code: h.cmd.ProcessState.ExitCode(), Usage: usageOf(h.cmd.ProcessState)}
	if status, ok := h.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		exit.Signal = status.Signal()
		exit.Code = 128 + int(exit.Signal)
	}
	return exit, nil
}
