package kubernetes

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/sandbox"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

const (
	// lookInterval is how often a pod is looked at.
	lookInterval = time.Second
	// drainTime bounds how long the last output of a pod that has ended may take.
	drainTime = 10 * time.Second
	// removeTime bounds how long a node waits until its pod is gone.
	removeTime = 30 * time.Second
)

// Run implements execute.Remote: it runs the shell of a node in a pod of its own.
func (c *Cluster) Run(ctx context.Context, t *execute.Task, spec sandbox.Spec) (exit sandbox.Exit, err error) {
	pipes := pipesOf(spec)
	object := c.object(t, spec, pipes)
	name := object.Metadata.Name
	err = c.create(ctx, object)
	if err != nil && !isPassing(err) {
		return exit, err
	}
	// One whose making was not answered may be there too.
	defer func() { err = errors.Join(err, c.remove(context.WithoutCancel(ctx), name)) }()
	if err != nil {
		return exit, err
	}
	running, err := c.awaitRunning(ctx, name)
	if err != nil {
		return exit, err
	}
	if err := c.furnish(ctx, running, spec); err != nil {
		return exit, err
	}
	return c.connectPipes(ctx, name, running, spec, pipes)
}

// furnish unpacks in the pod what is in the work folder, once the pipes are there.
func (c *Cluster) furnish(ctx context.Context, pod string, spec sandbox.Spec) error {
	for _, m := range append(spec.ReadOnly, sandbox.Mount{Host: spec.Dir, Inside: c.home}) {
		content, to := io.Pipe()
		go func() {
			w := tar.NewWriter(to)
			err := w.AddFS(os.DirFS(m.Host))
			_ = to.CloseWithError(errors.Join(err, w.Close())) // never fails
		}()
		command := fmt.Sprintf("while ! [ -e %s/pipes/ready ]; do sleep 1; done; mkdir -p %s && tar -x -o -f - -C %s",
			quote(c.share), quote(m.Inside), quote(m.Inside))
		err := c.api.exec(ctx, program{
			namespace: c.config.Namespace, pod: pod, command: []string{"/bin/sh", "-c", command}, in: content,
			out: io.Discard,
		})
		_ = content.CloseWithError(errTaken) // never fails
		if err != nil {
			return fmt.Errorf("kubernetes: unpacking %s in the pod: %w", m.Inside, err)
		}
	}
	return nil
}

// errTaken ends the making of an archive that is read no further.
var errTaken = errors.New("kubernetes: the pod reads no further")

// awaitEnd says why a connection ended: because the shell did, or because it broke.
func (c *Cluster) awaitEnd(
	ctx context.Context, name, running string, spec sandbox.Spec, first pipeEnd,
) (sandbox.Exit, error) {
	var end time.Time
	for {
		p, err := c.podOf(ctx, name)
		if err != nil {
			return sandbox.Exit{}, err
		}
		if end.IsZero() {
			end = c.clock.Now().Add(drainTime) // from the first answer on
		}
		if p == nil || p.Metadata.DeletionTimestamp != "" {
			return sandbox.Exit{}, errors.New("kubernetes: the pod was deleted")
		}
		if p.Status.Reason == "Evicted" {
			if strings.Contains(p.Status.Message, "mptyDir") || strings.Contains(p.Status.Message, "ephemeral") {
				return sandbox.Exit{Code: -1, OutOfDisk: true}, nil
			}
			return sandbox.Exit{}, fmt.Errorf("kubernetes: the pod was evicted: %s", p.Status.Message)
		}
		if s := p.main(); s != nil && s.State.Terminated != nil {
			if spec.Stderr != nil {
				_, _ = spec.Stderr.Write(c.lastWords(ctx, running)) // a buffer
			}
			over := s.State.Terminated
			return sandbox.Exit{Code: over.ExitCode, OutOfMemory: over.Reason == "OOMKilled"}, nil
		}
		if c.clock.Now().After(end) {
			return sandbox.Exit{}, fmt.Errorf("kubernetes: the connection for descriptor %d ended: %w", first.number,
				first.err)
		}
		if clock.Sleep(ctx, c.clock, lookInterval/4) != nil {
			return sandbox.Exit{}, context.Cause(ctx)
		}
	}
}
