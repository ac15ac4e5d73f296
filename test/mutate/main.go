package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/test/conformance"
)

func main() {
	service := flag.String("service", "", "only these `services`, joined by commas")
	n := flag.Int("n", 8, "faults in each service")
	seed := flag.Uint64("seed", 1, "chooses the faults")
	least := flag.Int("least", 95, "fail below this `percentage` of noticed faults")
	write := flag.String("write", "", "write the page to this `file`")
	list := flag.Bool("list", false, "only print the faults")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := mutate(ctx, *service, *n, *seed, *least, *write, *list); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// outcome is what one fault came to.
type outcome struct {
	Service string
	fault
	By   string // the test that noticed it, empty when none did
	Took time.Duration
}

func mutate(ctx context.Context, only string, n int, seed uint64, least int, write string, list bool) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	var services []string
	for _, s := range conformance.Services() {
		if only == "" || slices.Contains(strings.Split(only, ","), s.Name) {
			services = append(services, s.Name)
		}
	}
	t, err := newTrial(ctx, root, services, n, seed, "test/conformance", "test/lab")
	if err != nil {
		return err
	}
	defer t.close()
	if list {
		t.print()
		return nil
	}
	all, err := t.run(ctx)
	return errors.Join(err, report(all, least, write))
}

// report prints the sum and fails when too few were noticed.
func report(all []outcome, least int, write string) error {
	noticed := 0
	var missed strings.Builder
	for _, o := range all {
		if o.By != "" {
			noticed++
		} else {
			fmt.Fprintf(&missed, "\n  %s %s:%d %s %s", o.Service, o.File, o.Line, o.Kind, o.What)
		}
	}
	fmt.Printf("mutate: %d of %d planted faults noticed%s\n", noticed, len(all), missed.String())
	if write != "" {
		if err := os.WriteFile(write, page(all), 0o644); err != nil {
			return err
		}
	}
	if len(all) == 0 || noticed*100 < least*len(all) {
		return fmt.Errorf("at least %d %% must be noticed", least)
	}
	return nil
}
