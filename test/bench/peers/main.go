package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"

	"stoa.dev/stoa/test/bench/drive"
	"stoa.dev/stoa/test/program"
)

// run is one run of the comparison.
type run struct {
	binary string // Stoa's
	cache  string // what is fetched, kept between runs
	dir    string // data of all servers, on one real disk
	rounds int
	warm   time.Duration
	length time.Duration
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == kmsWord {
		exit(serveKMS(os.Args[2]))
	}
	r := &run{}
	write := flag.String("write", "", "write the page to this `file`")
	only := flag.String("only", "", "compare with the peers whose name matches this `expression`")
	flag.IntVar(&r.rounds, "rounds", 5, "rounds, of which the median counts")
	flag.DurationVar(&r.length, "length", 2*time.Second, "length of a round")
	flag.DurationVar(&r.warm, "warm", time.Second, "warm-up before each round")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	exit(r.main(ctx, *write, *only))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func (r *run) main(ctx context.Context, write, only string) error {
	match, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	if err := r.prepare(ctx); err != nil {
		return err
	}
	defer os.RemoveAll(r.dir)
	p := page{machine: thisMachine(), rounds: r.rounds, warm: r.warm, length: r.length}
	for _, peer := range peers() {
		if !match.MatchString(peer.name) {
			continue
		}
		found, err := r.compare(ctx, peer)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errNotFetched):
			fmt.Fprintln(os.Stderr, "peers:", err)
		case err != nil:
			return fmt.Errorf("%s: %w", peer.name, err)
		}
		p.all = append(p.all, found)
		fmt.Print(found.lines())
	}
	p.machine.after = drive.LoadAverage()
	if write == "" {
		return nil
	}
	return os.WriteFile(write, p.text(), 0o644)
}

// prepare builds the release binary and makes the folders.
func (r *run) prepare(ctx context.Context) (err error) {
	if r.binary, err = program.BuildRelease(ctx); err != nil {
		return err
	}
	root, err := program.Root()
	if err != nil {
		return err
	}
	r.cache = filepath.Join(root, ".cache", "peers")
	if err := os.MkdirAll(r.cache, 0o755); err != nil {
		return err
	}
	r.dir, err = os.MkdirTemp(r.cache, "run")
	return err
}
