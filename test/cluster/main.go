package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"stoa.dev/stoa/test/program"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	binary, err := program.BuildRelease(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "stoa-cluster-")
	if err != nil {
		return err
	}
	c := &cluster{dir: dir}
	defer func() {
		c.stop()
		if err != nil {
			err = fmt.Errorf("%w (logs in %s)", err, dir)
			return
		}
		err = os.RemoveAll(dir)
	}()
	if err := os.Chmod(dir, 0o755); err != nil { // the databases' user reads below it
		return err
	}
	if err := c.start(ctx); err != nil {
		return err
	}
	nodes, err := startNodes(ctx, binary, filepath.Join(dir, "stoa"), c.url())
	if err != nil {
		return err
	}
	defer nodes.stop()
	load, err := startLoad(ctx, nodes)
	if err != nil {
		return err
	}
	fmt.Printf("%-46s %12s %10s %9s\n", "what was done", "writes stood", "acked", "refused")
	for _, t := range troubles() {
		if err := load.measure(ctx, t.name, func() error { return t.do(ctx, c, nodes) }); err != nil {
			return err
		}
	}
	return load.audit(ctx)
}

// trouble is one thing that is done to the cluster.
type trouble struct {
	name string
	do   func(ctx context.Context, c *cluster, n *nodes) error
}

func troubles() []trouble {
	return []trouble{
		{"nothing, for 5 s", func(ctx context.Context, _ *cluster, _ *nodes) error { return rest(ctx, 5*time.Second) }},
		{"a node killed, and back", func(ctx context.Context, _ *cluster, n *nodes) error { return n.restart(ctx, 1) }},
		{"switchover of PostgreSQL", func(ctx context.Context, c *cluster, _ *nodes) error { return c.switchover(ctx) }},
		{"the primary and its keeper killed", func(ctx context.Context, c *cluster, _ *nodes) error {
			return c.fail(ctx, c.kill)
		}},
		{"the primary and its keeper paused for good", func(ctx context.Context, c *cluster, _ *nodes) error {
			return c.fail(ctx, c.pause)
		}},
	}
}

func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return errors.Join(errors.New("out of time"), ctx.Err())
	}
}
