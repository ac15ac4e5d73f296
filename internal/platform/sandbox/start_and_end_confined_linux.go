package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"stoa.dev/stoa/internal/platform/sandbox/cgroup"
	"stoa.dev/stoa/internal/platform/sandbox/memorydiskuse"
	"stoa.dev/stoa/internal/platform/sandbox/seccomp"
)

const (
	killedSignal = syscall.SIGKILL
	killedCode   = 128 + int(killedSignal)
)

// start starts a program in the configured mode.
func (s *Sandbox) start(spec Spec, io *streams, complaint *tap) (program, error) {
	if err := keepDescriptors(); err != nil {
		return nil, err
	}
	if s.config.Mode == ModeHost {
		return s.startHost(spec, io)
	}
	if err := s.chownWorkFolder(spec.Dir); err != nil {
		return nil, err
	}
	if err := s.chownPipes(spec); err != nil {
		return nil, err
	}
	b := &confined{spec: spec, ledger: s.ledger, complaint: complaint, exceeded: make(chan Exit, 1),
		ready: make(chan struct{})}
	if err := b.prepare(s, io); err != nil {
		b.closeAll()
		return nil, err
	}
	restore := s.affinity(spec.CPU)
	err := b.cmd.Start()
	restore()
	b.closeAll()
	if err != nil {
		b.status.Close()
		b.group.Remove()
		return nil, startError(s.config.Program, err)
	}
	b.following.Go(b.follow)
	return b, nil
}

func startError(program string, err error) error {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: the program %q was not found; install bubblewrap (apt-get install bubblewrap, dnf "+
			"install bubblewrap)", ErrUnavailable, program)
	}
	return fmt.Errorf("%w: starting %s: %w", ErrUnavailable, program, err)
}

// confined is a program inside bubblewrap. The process we start is its
// monitor; the first process of the namespace is the monitor's child.
type confined struct {
	ledger    *memorydiskuse.Ledger
	spec      Spec
	cmd       *exec.Cmd
	complaint *tap
	group     *cgroup.Group
	status    *os.File
	ours      []*os.File // closed once the child has them

	following sync.WaitGroup
	exceeded  chan Exit
	ready     chan struct{} // closed when the first process is known or will never be

	mu       sync.Mutex
	first    int // pidfd of the namespace's first process, 0 while unknown
	code     int
	finished bool // bubblewrap reported an exit code of the program
}

// prepare builds the command without starting it.
func (b *confined) prepare(s *Sandbox, io *streams) error {
	program, err := exec.LookPath(s.config.Program)
	if err != nil {
		return startError(s.config.Program, err)
	}
	cmd := &exec.Cmd{Path: program, Args: []string{"bwrap"}, Env: []string{tag(b.spec.Dir)}, Dir: "/", Stdin: io.in,
		Stdout: io.out, Stderr: io.err}
	cmd.ExtraFiles = append(cmd.ExtraFiles, b.spec.Files...)
	hand := func(f *os.File) string {
		cmd.ExtraFiles = append(cmd.ExtraFiles, f)
		b.ours = append(b.ours, f)
		return strconv.Itoa(2 + len(cmd.ExtraFiles))
	}
	data := func(name string, content []byte) (string, error) {
		f, err := memory(name, content)
		if err != nil {
			return "", err
		}
		return hand(f), nil
	}
	args, err := s.arguments(b.spec, data)
	if err != nil {
		return err
	}
	code, err := seccomp.Filter(s.config.Cgroup != "")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	rules, err := data("filter", code)
	if err != nil {
		return err
	}
	status, writing, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("sandbox: no pipe for the status: %w", err)
	}
	b.status = status
	args = append(args, "--seccomp", rules, "--json-status-fd", hand(writing))
	// Through a file: the command line of a process is for everybody to read.
	list, err := data("arguments", []byte(strings.Join(args, "\x00")+"\x00"))
	if err != nil {
		status.Close()
		return err
	}
	cmd.Args = append(cmd.Args, "--args", list, "--", "/bin/sh", "-c", limits(b.spec, true), "sandbox")
	cmd.Args = append(cmd.Args, b.spec.Args...)
	// bubblewrap asks for its parent's death itself, a moment after it began.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: s.credential(b.spec.Dir),
		Pdeathsig: syscall.SIGKILL}
	b.cmd = cmd
	if b.group, err = s.newGroup(b.spec); err != nil {
		status.Close()
		return err
	}
	b.group.Place(cmd.SysProcAttr)
	return nil
}

// newGroup makes the run's cgroup, nil where no folder is delegated.
func (s *Sandbox) newGroup(spec Spec) (*cgroup.Group, error) {
	if s.config.Cgroup == "" {
		return nil, nil
	}
	g, err := cgroup.New(s.config.Cgroup, cgroup.Limits{Memory: spec.Memory, Processes: spec.Processes, CPU: spec.CPU})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return g, nil
}

func (b *confined) closeAll() {
	for _, f := range b.ours {
		_ = f.Close() // nothing is written through our copy
	}
	b.ours = nil
}

// keepDescriptors makes sure that no program inherits a file which the server
// itself inherited from its own parent. Files that the server opened are
// kept back anyway, and those meant for a program are handed over by number.
func keepDescriptors() error {
	if err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err == nil {
		return nil
	}
	// Kernels before 5.11: one by one.
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("%w: the open files cannot be listed: %w", ErrUnavailable, err)
	}
	for _, f := range open {
		if fd, err := strconv.Atoi(f.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// memory is a file that exists only as a descriptor.
func memory(name string, content []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("stoa-"+name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("sandbox: no memory for %s: %w", name, err)
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err = f.Write(content); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = f.Close() // err says what failed
		return nil, fmt.Errorf("sandbox: no memory for %s: %w", name, err)
	}
	return f, nil
}

// follow reads what the monitor reports: first the process it made, at the end
// the exit code of the program, unless the sandbox could not be set up.
func (b *confined) follow() {
	defer b.status.Close()
	var once sync.Once
	known := func() { once.Do(func() { close(b.ready) }) }
	defer known()
	decoder := json.NewDecoder(b.status)
	for {
		var report struct {
			Child *int `json:"child-pid"`
			Code  *int `json:"exit-code"`
		}
		if err := decoder.Decode(&report); err != nil {
			return // the monitor is gone
		}
		b.mu.Lock()
		switch {
		case report.Child != nil && b.first == 0:
			// Only we and the kernel know this number, and the monitor has not
			// yet waited for it: it cannot be another program's by now.
			if fd, err := unix.PidfdOpen(*report.Child, 0); err == nil {
				b.first = fd
				watched, pid := fd, *report.Child
				b.following.Go(func() { b.watch(watched, pid) })
			}
		case report.Code != nil:
			b.code, b.finished = *report.Code, true
		}
		b.mu.Unlock()
		known()
	}
}

// kill ends the namespace by its first process; the kernel ends the others
// before the monitor hears of it. Before that process is known it is enough to
// end the monitor, whose death it does not survive.
func (b *confined) kill() {
	b.group.Kill()
	<-b.ready
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.first > 0 {
		if err := unix.PidfdSendSignal(b.first, unix.SIGKILL, nil, 0); err == nil {
			return
		}
	}
	_ = b.cmd.Process.Kill() // it may have ended by itself
	sweep(tag(b.spec.Dir))   // a child that was still waiting for its monitor
}

func (b *confined) exceededLimit() <-chan Exit { return b.exceeded }

// wait returns when the monitor has ended, and with it the namespace.
func (b *confined) wait() (Exit, error) {
	failure := b.cmd.Wait()
	b.following.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.first > 0 {
		_ = unix.Close(b.first) // a reference, not a file
		b.first = -1
	}
	exit := Exit{Code: b.code, Usage: usageOf(b.cmd.ProcessState)}
	peak, outOfMemory := b.group.Finish()
	if peak > 0 {
		exit.Usage.Memory = peak
	}
	exit.OutOfMemory = outOfMemory
	if b.code > 128 && b.code <= 128+64 {
		exit.Signal = syscall.Signal(b.code - 128)
	}
	if b.finished {
		return exit, nil
	}
	if sys, ok := b.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && sys.Signaled() ||
		b.cmd.ProcessState.ExitCode() == killedCode {
		exit.Code, exit.Signal = killedCode, killedSignal
		return exit, nil
	}
	return exit, setupError(failure, string(b.complaint.head))
}

func usageOf(p *os.ProcessState) Usage {
	u := Usage{User: p.UserTime(), System: p.SystemTime()}
	if r, ok := p.SysUsage().(*syscall.Rusage); ok {
		u.Memory = r.Maxrss * 1024
	}
	return u
}
