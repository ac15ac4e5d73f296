package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"

	"stoa.dev/stoa/test/bench/drive"
	"stoa.dev/stoa/test/program"
)

const benchPassword = "correct horse battery staple"

// bench is one run of the table.
type bench struct {
	binary string
	dir    string // on a real disk: fsync is what durable rows are about
	rounds int
	warm   time.Duration
	length time.Duration
	costs  bool           // print what an answer costs beside the processor's time
	pids   map[string]int // process of each of our servers, by address
}

func main() {
	if len(os.Args) == 2 {
		if answer, ok := bareAnswers()[os.Args[1]]; ok {
			exit(serveBare(os.Stdin, os.Stdout, answer))
		}
		if os.Args[1] == bareKMSWord {
			exit(serveBareKMS(os.Stdin, os.Stdout))
		}
	}
	if len(os.Args) == 3 && os.Args[1] == createsWord {
		exit(runCreates(os.Args[2]))
	}
	b := &bench{pids: map[string]int{}}
	write := flag.String("write", "", "write the page to this `file`")
	only := flag.String("only", "", "run the rows whose name matches this `expression`")
	check := flag.Bool("check", false, "fail when a target is not met or a row lost more than a tenth")
	other := flag.String("against", "", "compare with another release `binary`, row by row in turn")
	flag.BoolVar(&b.costs, "costs", false, "print what an answer of ours allocates and writes, too")
	flag.StringVar(&b.dir, "dir", "", "scratch `folder` on the disk to measure (default .cache/bench)")
	flag.IntVar(&b.rounds, "rounds", 5, "rounds, of which the median counts")
	flag.DurationVar(&b.length, "length", 2*time.Second, "length of a round")
	flag.DurationVar(&b.warm, "warm", 500*time.Millisecond, "warm-up before each round")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	exit(b.main(ctx, *write, *only, *other, *check))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func (b *bench) main(ctx context.Context, write, only, other string, check bool) error {
	match, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	var table bytes.Buffer
	busy := drive.LoadAverage()
	fmt.Printf("load average before the run: %s\n\n", busy)
	if other != "" {
		return b.against(ctx, os.Stdout, other, match)
	}
	missed, err := b.measure(ctx, io.MultiWriter(os.Stdout, &table), match)
	if err != nil {
		return err
	}
	if write != "" {
		lost, err := warnOfLosses(write, table.String())
		if err != nil {
			return err
		}
		missed += lost
		if err := writePage(write, table.String(), busy, only, os.Getenv("BENCH_ARGS")); err != nil {
			return err
		}
		fmt.Println("written:", write)
	}
	if check && missed > 0 {
		return fmt.Errorf("%d targets were not met or rows lost", missed)
	}
	return nil
}

// prepare builds the release binary and an empty scratch folder.
func (b *bench) prepare(ctx context.Context) (err error) {
	if b.binary, err = program.BuildRelease(ctx); err != nil {
		return err
	}
	if b.dir == "" {
		root, err := program.Root()
		if err != nil {
			return err
		}
		b.dir = filepath.Join(root, ".cache", "bench")
	}
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return err
	}
	b.dir, err = os.MkdirTemp(b.dir, "run")
	return err
}

// measure runs the rows and prints each line when it is known.
func (b *bench) measure(ctx context.Context, out io.Writer, match *regexp.Regexp) (missed int, err error) {
	printHead(out)
	var costs bytes.Buffer
	for _, r := range rows() {
		if !match.MatchString(r.name) {
			continue
		}
		results, err := r.run(b, ctx)
		if err != nil {
			return missed, fmt.Errorf("%s: %w", r.name, err)
		}
		for _, s := range results {
			if !printLine(out, r, s) {
				missed++
			}
			printCosts(&costs, r, s)
		}
	}
	if b.costs {
		fmt.Printf("\n%s%s", costsHead, costs.String())
	}
	return missed, nil
}

// folder is a new scratch folder below the run's own.
func (b *bench) folder(name string) string { return filepath.Join(b.dir, name) }

func (b *bench) load(address string, clients int, from func(int) drive.Source) drive.Load {
	return drive.Load{
		Address: address, PID: b.pids[address], Clients: clients, Warm: b.warm, Length: b.length, Source: from,
		Costs: b.costs && b.pids[address] != 0,
	}
}
