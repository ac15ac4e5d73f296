package kubernetes

import (
	"context"
	"fmt"
	"io"
	"sync"

	"stoa.dev/stoa/internal/platform/sandbox"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

// pipe is one descriptor of the shell. It has a reader or a writer on this side.
type pipe struct {
	number int
	in     io.Reader
	out    io.Writer
	shared bool // opened by every program that writes to it
}

func (p pipe) sign() string {
	if p.in != nil {
		return "<"
	}
	return ">"
}

// pipesOf lists the descriptors of the shell.
func pipesOf(spec sandbox.Spec) []pipe {
	all := []pipe{{number: 0, in: spec.Stdin}}
	for i, f := range spec.Files {
		p := pipe{number: 3 + i, shared: 3+i >= execute.FirstBackground}
		if execute.IsInward(p.number) {
			p.in = f
		} else {
			p.out = f
		}
		all = append(all, p)
	}
	return all
}

// pipeEnd is a pipe whose connection is over.
type pipeEnd struct {
	pipe
	err error
}

// connectPipes connects every pipe of the shell with its end on this side, until the
// shell has ended.
func (c *Cluster) connectPipes(
	ctx context.Context, name, running string, spec sandbox.Spec, pipes []pipe,
) (sandbox.Exit, error) {
	streaming, stop := context.WithCancelCause(ctx)
	var streams sync.WaitGroup
	defer streams.Wait()
	defer stop(errTaken)
	ends := make(chan pipeEnd, len(pipes))
	for _, p := range pipes {
		streams.Go(func() { ends <- pipeEnd{p, c.connectPipe(streaming, running, p)} })
	}
	var first pipeEnd
	select {
	case <-ctx.Done():
		return sandbox.Exit{}, context.Cause(ctx)
	case first = <-ends:
	}
	exit, err := c.awaitEnd(ctx, name, running, spec, first)
	// What the shell printed last is still on its way.
	draining, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	for missing := outward(pipes, first); missing > 0; {
		select {
		case e := <-ends:
			if e.out != nil && !e.shared {
				missing--
			}
		case <-draining.Done():
			return exit, err
		}
	}
	return exit, err
}

// outward counts the pipes whose end comes by itself.
func outward(pipes []pipe, ended pipeEnd) (n int) {
	for _, p := range pipes {
		if p.out != nil && !p.shared && p.number != ended.number {
			n++
		}
	}
	return n
}

// connectPipe copies one pipe until its program or the connection ends.
func (c *Cluster) connectPipe(ctx context.Context, running string, p pipe) error {
	path := fmt.Sprintf("%s/pipes/%d", c.share, p.number)
	run := program{namespace: c.config.Namespace, pod: running, in: p.in, out: io.Discard}
	switch {
	case p.number == 0:
		alive := c.share + "/pipes/" + alivePipe
		run.command = []string{"/bin/sh", "-c", "exec cat > " + quote(path) + " 9> " + quote(alive)}
	case p.in != nil:
		run.command = []string{"/bin/sh", "-c", "exec cat > " + quote(path)}
	case p.shared:
		// Opened for writing too, it does not end with the first program that closes it.
		run.command, run.out = []string{"/bin/sh", "-c", "exec cat <> " + quote(path)}, p.out
	default:
		run.command, run.out = []string{"/bin/sh", "-c", "exec cat < " + quote(path)}, p.out
	}
	return c.api.exec(ctx, run)
}
