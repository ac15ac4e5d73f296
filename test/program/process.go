package program

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Options say how to start the binary.
type Options struct {
	Binary  string
	Command string   // serve when empty
	Data    string   // the data folder
	Args    []string // further arguments of the command
	Dir     string   // the working folder; this process's when empty
	Env     []string // added to this process's environment
	Listen  string   // 127.0.0.1:0 when empty
}

// Process is one running server.
type Process struct {
	URL string // as the ready line printed it

	cmd    *exec.Cmd
	mu     sync.Mutex
	output bytes.Buffer // standard output and error in the order they came
	exited chan struct{}
	err    error
}

// readyWithin bounds the start. A cold start takes a fraction of a second; the
// rest is for busy machines.
const readyWithin = 30 * time.Second

// Start runs the command and returns when the server is ready.
func Start(ctx context.Context, o Options) (*Process, error) {
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	args := append([]string{cmp.Or(o.Command, "serve"), "--data", o.Data, "--listen", o.Listen}, o.Args...)
	// Not CommandContext: how a server ends is what the tests are about.
	cmd := exec.Command(o.Binary, args...)
	cmd.Dir, cmd.Env = o.Dir, append(Environ(), o.Env...)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p := &Process{cmd: cmd, exited: make(chan struct{})}
	cmd.Stderr = (*sink)(p)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ready := make(chan string, 1)
	go p.read(stdout, ready)

	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	select {
	case p.URL = <-ready:
		return p, nil
	case <-p.exited:
		return nil, fmt.Errorf("the server ended before it was ready: %w\n%s", p.err, p.Output())
	case <-ctx.Done():
		p.Kill()
		return nil, fmt.Errorf("the server was not ready: %w\n%s", ctx.Err(), p.Output())
	}
}

// Environ is this process's environment without settings of the product, so
// that a developer's own do not reach a test.
func Environ() []string {
	own := slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "STOA_") })
	return append(own, "GORACE="+RaceOptions)
}

// RaceOptions is GORACE for every child: a program with the race detector
// otherwise sleeps for a second before it ends, and stories run a hundred.
const RaceOptions = "atexit_sleep_ms=0"

// read collects standard output, reports the ready line and waits for the end.
func (p *Process) read(stdout io.Reader, ready chan<- string) {
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadString('\n')
		_, _ = (*sink)(p).Write([]byte(line))
		if url, ok := strings.CutPrefix(strings.TrimSpace(line), "ready "); ok {
			select {
			case ready <- url:
			default:
			}
		}
		if err != nil {
			break
		}
	}
	p.err = p.cmd.Wait()
	close(p.exited)
}

// sink writes into the process's shared output buffer.
type sink Process

func (s *sink) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.output.Write(b)
}

// Output is everything the server has printed so far.
func (p *Process) Output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.String()
}

// PID is the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Signal sends a signal without waiting.
func (p *Process) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// Kill ends the process as a power cut would: no handler runs. It returns when
// the process is gone.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.exited
}

// Stop asks politely and reports how the server ended.
func (p *Process) Stop(ctx context.Context) error {
	if err := p.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return p.Wait(ctx)
}

// Wait returns when the server has ended. A server that does not end in time
// is killed, and that is an error.
func (p *Process) Wait(ctx context.Context) error {
	select {
	case <-p.exited:
		if p.err != nil {
			return fmt.Errorf("the server ended with %w\n%s", p.err, p.Output())
		}
		return nil
	case <-ctx.Done():
		p.Kill()
		return fmt.Errorf("the server did not end: %w\n%s", ctx.Err(), p.Output())
	}
}
