package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/test/program"
)

func main() {
	only := flag.String("only", "keys,executor,chart", "which parts are tried")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Minute)
	defer cancel()
	if err := run(ctx, strings.Split(*only, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "kube:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, parts []string) (err error) {
	binary, err := program.BuildRelease(ctx)
	if err != nil {
		return err
	}
	server, err := buildKubernetes(ctx, "kube-apiserver")
	if err != nil {
		return err
	}
	controllers := ""
	if slices.Contains(parts, "executor") {
		if controllers, err = buildKubernetes(ctx, "kube-controller-manager"); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "stoa-kube-")
	if err != nil {
		return err
	}
	group := &processes{dir: dir}
	defer func() {
		group.stop()
		if err != nil {
			err = fmt.Errorf("%w (logs in %s)", err, dir)
			return
		}
		err = os.RemoveAll(dir)
	}()
	k := &plugin{binary: binary, dir: dir}
	if err := k.start(ctx); err != nil {
		return err
	}
	defer k.kill()
	c := &controlPlane{processes: group, program: server, socket: k.socket()}
	if err := c.start(ctx); err != nil {
		return err
	}
	versions, err := c.versions(ctx)
	if err != nil {
		return err
	}
	fmt.Println(versions)
	if slices.Contains(parts, "keys") {
		if err := tryKeyManagement(ctx, c, k); err != nil {
			return err
		}
	}
	if slices.Contains(parts, "executor") {
		if err := tryExecutor(ctx, c, binary, controllers); err != nil {
			return err
		}
	}
	if slices.Contains(parts, "chart") {
		return tryChart(ctx, c)
	}
	return nil
}

// await asks until something is so; the last error says what was missing.
func await(ctx context.Context, limit time.Duration, what string, asked func() error) error {
	end := time.Now().Add(limit)
	for {
		err := asked()
		if err == nil {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("waited %s for %s: %w", limit, what, err)
		}
		if err := rest(ctx, 200*time.Millisecond); err != nil {
			return err
		}
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
