package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/test/program"
)

func main() {
	write := flag.Bool("write", false, "write docs/reliability-cluster.md from what was seen")
	only := flag.String("only", "", "do only the trials whose names contain one of these `words`, with commas between")
	times := flag.Int("times", 1, "do every trial so often")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(*times)*30*time.Minute)
	defer cancel()
	if err := full(ctx, *only, *times, *write); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

// full runs every trial with the programs that operators use.
func full(ctx context.Context, only string, times int, write bool) error {
	root, err := program.Root()
	if err != nil {
		return err
	}
	binary, err := program.BuildRelease(ctx)
	if err != nil {
		return err
	}
	previous, commit := binary, "of today"
	if only == "" { // otherwise there may be no upgrade
		if previous, commit, err = previousBinary(ctx, root); err != nil {
			return err
		}
	}
	s := setup{
		binary: binary, first: previous, trials: slices.Repeat(chosen(trials(), only), times),
		bucket: func(c *cluster) (bucketStore, error) { return startGateway(ctx, c) },
	}
	found, err := s.run(ctx)
	if err != nil {
		return err
	}
	found.previous = commit
	if !write {
		return nil
	}
	return os.WriteFile(filepath.Join(root, "docs", "reliability-cluster.md"), []byte(found.page()), 0o644)
}

func chosen(all []trial, only string) (some []trial) {
	for _, t := range all {
		for word := range strings.SplitSeq(only, ",") {
			if strings.Contains(t.name, word) {
				some = append(some, t)
				break
			}
		}
	}
	return some
}

// previousBinary builds the newest commit that lacks the last migration.
func previousBinary(ctx context.Context, root string) (binary, commit string, err error) {
	git := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = root
		out, err := cmd.Output()
		return strings.TrimSpace(string(out)), err
	}
	// First parents: what was merged ran together only from the merge on.
	commit, err = git("log", "--first-parent", "-1", "--format=%H", "--", ":(glob)internal/**/migrations/*.sql")
	if err != nil || commit == "" {
		return "", "", errors.Join(errors.New("there is no history to upgrade from"), err)
	}
	if commit, err = git("rev-parse", "--short", commit+"^1"); err != nil {
		return "", "", err
	}
	dir := filepath.Join(root, ".cache", "test", "previous-"+commit)
	binary = filepath.Join(dir, "stoa")
	if _, err := os.Stat(binary); err == nil {
		return binary, commit, nil
	}
	sources := filepath.Join(dir, "sources")
	if err := os.MkdirAll(sources, 0o755); err != nil {
		return "", "", err
	}
	script := `git -C "$1" archive "$2" | tar -x -C "$3" && cd "$3" &&
CGO_ENABLED=0 go build -buildvcs=false -trimpath -ldflags '-s -w' -o ../stoa ./cmd/stoa`
	if out, err := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script, "build", root, commit,
		sources).CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("commit %s: %w\n%s", commit, err, out)
	}
	return binary, commit, os.RemoveAll(sources)
}

func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return errors.Join(errors.New("out of time"), ctx.Err())
	}
}
