package sandbox

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/sandbox/runcount"
)

// program is a started program with all that lives below it.
type program interface {
	// kill ends everything. It may be called at any time and more than once.
	kill()
	// wait returns when nothing of the program runs any more.
	wait() (Exit, error)
	// exceededLimit reports a limit that the watch saw passed.
	exceededLimit() <-chan Exit
}

// Run runs one program to its end. The error is about the sandbox; what the
// program did is in Exit. A cancelled context kills the run and returns the
// context's cause.
func (s *Sandbox) Run(ctx context.Context, spec Spec) (Exit, error) {
	spec, err := spec.complete(s.config)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		s.Runs.Refuse()
		return Exit{}, err
	}
	end := s.Runs.Begin()
	r := &run{sandbox: s, spec: spec, meter: newMeter(s.clock, spec.Output)}
	begun := s.clock.Now()
	exit, err := r.run(ctx)
	exit.Usage.Wall = s.clock.Now().Sub(begun)
	exit.Usage.Output = min(r.meter.total.Load(), spec.Output)
	limited := exit.TimedOut || exit.Silent || exit.OutOfMemory || exit.OutOfDisk || exit.TooMuchOutput
	end(runcount.OutcomeOf(exit.Success(), limited, err, ctx.Err()))
	return exit, err
}

// run is one call of Run.
type run struct {
	sandbox *Sandbox
	spec    Spec
	meter   *meter
	outputs sync.WaitGroup
}

type ended struct {
	exit Exit
	err  error
}

func (r *run) run(ctx context.Context) (Exit, error) {
	pipes, errorTap, err := r.connectPipes()
	if err != nil {
		return Exit{}, err
	}
	started, done := make(chan program, 1), make(chan ended, 1)
	go func() {
		// The kernel kills the program when the thread that started it ends, so
		// that thread stays ours until the program is gone.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		p, err := r.sandbox.start(r.spec, pipes, errorTap)
		pipes.close()
		if err != nil {
			done <- ended{err: err}
			return
		}
		started <- p
		exit, err := p.wait()
		r.outputs.Wait()
		done <- ended{exit, err}
	}()
	select {
	case p := <-started:
		return r.supervise(ctx, p, done)
	case end := <-done:
		r.outputs.Wait()
		return end.exit, end.err
	}
}

// streams are the ends of pipes that the program gets.
type streams struct {
	in, out, err *os.File
	// closing are the ends that are ours to close once the program has them.
	closing []*os.File
}

func (p *streams) close() {
	for _, f := range p.closing {
		_ = f.Close() // our copy; the program has its own
	}
}

// connectPipes makes the pipes and starts copying. Copying ends with the program, of
// which nothing survives that could keep a pipe open.
func (r *run) connectPipes() (p *streams, err *tap, failed error) {
	p, err = &streams{}, &tap{meter: r.meter, to: r.spec.Stdout}
	p.out, failed = r.collect(p, err)
	p.err = p.out
	if failed == nil && !sameWriter(r.spec.Stdout, r.spec.Stderr) {
		err = &tap{meter: r.meter, to: r.spec.Stderr}
		p.err, failed = r.collect(p, err)
	}
	if failed == nil {
		failed = r.feed(p)
	}
	if failed != nil {
		p.close()
	}
	return p, err, failed
}

// collect makes a pipe whose other end is copied to the tap.
func (r *run) collect(p *streams, to *tap) (*os.File, error) {
	from, end, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("sandbox: no pipe for the output: %w", err)
	}
	p.closing = append(p.closing, end)
	r.outputs.Go(func() {
		defer from.Close()
		// tap never fails, and the reading end of a pipe has nothing to say.
		_, _ = io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{from}, make([]byte, 64<<10))
	})
	return end, nil
}

// feed gives the program its input. A file is handed over as it is.
func (r *run) feed(p *streams) error {
	switch in := r.spec.Stdin.(type) {
	case nil:
		null, err := os.Open(os.DevNull)
		if err != nil {
			return err
		}
		p.in, p.closing = null, append(p.closing, null)
	case *os.File:
		p.in = in
	default:
		end, to, err := os.Pipe()
		if err != nil {
			return fmt.Errorf("sandbox: no pipe for the input: %w", err)
		}
		p.in, p.closing = end, append(p.closing, end)
		// Not waited for: a reader that blocks must not hold up a finished run.
		go func() {
			defer to.Close()
			_, _ = io.Copy(to, in) // a program may end before it has read all
		}()
	}
	return nil
}

// supervise waits for the end, or brings it about.
func (r *run) supervise(ctx context.Context, p program, done <-chan ended) (Exit, error) {
	limit := timer(r.sandbox.clock, r.spec.Timeout)
	defer limit.Stop()
	quiet := timer(r.sandbox.clock, r.spec.Silence)
	defer func() { quiet.Stop() }()
	kill := func(why Exit, err error) (Exit, error) {
		p.kill()
		end := <-done
		why.Usage, why.Code, why.Signal = end.exit.Usage, killedCode, killedSignal
		return why, err
	}
	for {
		select {
		case end := <-done:
			return end.exit, end.err
		case <-ctx.Done():
			return kill(Exit{}, context.Cause(ctx))
		case <-limit.C:
			return kill(Exit{TimedOut: true}, nil)
		case <-quiet.C:
			idle := r.meter.idle()
			if idle >= r.spec.Silence {
				return kill(Exit{Silent: true}, nil)
			}
			quiet = r.sandbox.clock.NewTimer(r.spec.Silence - idle)
		case <-r.meter.over:
			return kill(Exit{TooMuchOutput: true}, nil)
		case why := <-p.exceededLimit():
			return kill(why, nil)
		case err := <-r.meter.broken:
			return kill(Exit{}, fmt.Errorf("sandbox: passing the output on: %w", err))
		}
	}
}

// timer never fires for a duration of zero.
func timer(c clock.Clock, d time.Duration) *clock.Timer {
	if d <= 0 {
		d = 1 << 62
	}
	return c.NewTimer(d)
}
