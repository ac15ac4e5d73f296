package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/test/program"
)

func main() {
	which := flag.String("run", "", "the `targets` to run, such as R1,S7, or all")
	long := flag.Bool("long", false, "run the long forms where there are some")
	limit := flag.Duration("limit", time.Hour, "how long one command may take")
	flag.Parse()
	if err := run(context.Background(), *which, *long, *limit); err != nil {
		fmt.Fprintln(os.Stderr, "reliability:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, which string, long bool, limit time.Duration) error {
	root, err := program.Root()
	if err != nil {
		return err
	}
	dir := filepath.Join(root, "test", "reliability")
	targets, err := readTargets(filepath.Join(dir, targetFile))
	if err != nil {
		return err
	}
	results, err := readResults(filepath.Join(dir, resultFile))
	if err != nil {
		return err
	}
	chosen, err := choose(targets, which)
	if err != nil {
		return err
	}
	var failed []error
	for _, t := range chosen {
		r := execute(ctx, root, t, long, limit)
		fmt.Printf("%-4s %-6s %6s  %s\n", r.ID, r.Outcome, r.Took, r.Said)
		if r.Outcome != passed {
			failed = append(failed, fmt.Errorf("%s: %s", t.ID, r.Command))
		}
		results[r.key()] = r
		// After each, so that a night that is cut short keeps what it saw.
		if err := writeResults(filepath.Join(dir, resultFile), results); err != nil {
			return err
		}
	}
	for name, text := range pages(targets, results) {
		if err := os.WriteFile(filepath.Join(root, "docs", name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}

// choose finds the targets to run. Those without a command are passed over.
func choose(all []target, which string) ([]target, error) {
	var chosen []target
	for _, id := range strings.FieldsFunc(which, func(r rune) bool { return r == ',' }) {
		at := slices.IndexFunc(all, func(t target) bool { return t.ID == id })
		switch {
		case id == "all":
			chosen = append(chosen, all...)
		case at < 0:
			return nil, fmt.Errorf("there is no target %s", id)
		default:
			chosen = append(chosen, all[at])
		}
	}
	return slices.DeleteFunc(chosen, func(t target) bool { return t.Command == "" }), nil
}
