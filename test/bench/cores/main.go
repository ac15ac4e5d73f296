package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/test/bench/drive"
	"stoa.dev/stoa/test/program"
)

// plan is what a pass measures. It travels to the child that measures.
type plan struct {
	Binary       string
	Dir          string // scratch folder, on a real disk
	Processors   int
	Clients      []int
	Warm, Length time.Duration
	// Profile is how long locks are recorded, instead of the measurements; zero records none.
	Profile time.Duration
}

// options are the flags.
type options struct {
	plan
	processors []int
	rounds     int
	profile    time.Duration
	write      string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "cores:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	if len(os.Args) == 2 && os.Args[1] == bareWord {
		return serveBare(os.Stdout)
	}
	if len(os.Args) == 3 && os.Args[1] == passWord {
		return measurePass(ctx, os.Args[2], os.Stdout)
	}
	o, err := flags()
	if err != nil {
		return err
	}
	if o.Binary, err = program.BuildRelease(ctx); err != nil {
		return err
	}
	if err := o.makeFolder(); err != nil {
		return err
	}
	defer os.RemoveAll(o.Dir) // what is left is scratch
	p := page{options: o, before: drive.LoadAverage(), date: time.Now().UTC().Format(time.DateOnly)}
	if err := o.measure(ctx, &p); err != nil {
		return err
	}
	text := p.text()
	if o.write == "" {
		fmt.Print(text)
		return nil
	}
	return os.WriteFile(o.write, []byte(text), 0o644)
}

// measure makes the passes: up and down, so that what the machine does meanwhile
// falls on each number of processors.
func (o options) measure(ctx context.Context, p *page) error {
	var points []point
	for round := range o.rounds {
		order := slices.Clone(o.processors)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, n := range order {
			fmt.Fprintf(os.Stderr, "round %d of %d, %d processors\n", round+1, o.rounds, n)
			got, err := o.pass(ctx, n, 0)
			if err != nil {
				return err
			}
			points = append(points, got.Points...)
		}
	}
	p.points = merge(points)
	fmt.Fprintln(os.Stderr, "locks")
	got, err := o.pass(ctx, slices.Max(o.processors), o.profile)
	p.locks = got.Locks
	return err
}

// pass lets a child measure, bound to so many processors.
func (o options) pass(ctx context.Context, processors int, profile time.Duration) (got measured, err error) {
	one := o.plan
	one.Processors, one.Profile = processors, profile
	if one.Dir, err = os.MkdirTemp(o.Dir, "pass"); err != nil {
		return got, err
	}
	text, err := json.Marshal(one)
	if err != nil {
		return got, err
	}
	out, err := runBound(ctx, processors, passWord, string(text))
	if err != nil {
		return got, fmt.Errorf("pass with %d processors: %w", processors, err)
	}
	return got, json.Unmarshal(out, &got)
}

func (o *options) makeFolder() error {
	if o.Dir == "" {
		root, err := program.Root()
		if err != nil {
			return err
		}
		o.Dir = filepath.Join(root, ".cache", "bench")
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return err
	}
	var err error
	o.Dir, err = os.MkdirTemp(o.Dir, "cores")
	return err
}

func flags() (o options, err error) {
	processors := flag.String("processors", "1,2", "numbers of processors, in rising order from 1")
	clients := flag.String("clients", "1,2,4,8,32,128", "numbers of clients, in rising order")
	flag.IntVar(&o.rounds, "rounds", 2, "passes with each number of processors, of which the best counts")
	flag.DurationVar(&o.Length, "length", 900*time.Millisecond, "length of a measurement")
	flag.DurationVar(&o.Warm, "warm", 200*time.Millisecond, "warm-up before each measurement")
	flag.DurationVar(&o.profile, "profile", 3*time.Second, "how long the locks of a call are recorded")
	flag.StringVar(&o.Dir, "dir", "", "scratch `folder` on the disk to measure (default .cache/bench)")
	flag.StringVar(&o.write, "write", "", "write the page to this `file`")
	flag.Parse()
	if o.processors, err = numbers(*processors); err != nil {
		return o, err
	}
	if len(o.processors) < 2 || o.processors[0] != 1 {
		return o, fmt.Errorf("-processors: %s does not begin with 1 or has no second number", *processors)
	}
	o.Clients, err = numbers(*clients)
	return o, err
}

// numbers reads a rising list.
func numbers(text string) (list []int, err error) {
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || len(list) > 0 && n <= list[len(list)-1] {
			return nil, fmt.Errorf("%q is not a rising list of numbers", text)
		}
		list = append(list, n)
	}
	return list, nil
}
