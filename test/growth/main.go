package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"stoa.dev/stoa/test/program"
)

// options are the flags.
type options struct {
	sizes  []int64
	only   *regexp.Regexp
	rounds int
	starts int
	folder string
	write  string
	binary string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	o, err := flags()
	if err != nil {
		return err
	}
	if o.binary, err = program.BuildRelease(ctx); err != nil {
		return err
	}
	if o.folder == "" {
		if o.folder, err = os.MkdirTemp("", "stoa-growth-"); err != nil {
			return err
		}
		defer os.RemoveAll(o.folder) // what is left is a temporary folder
	}
	var list [][]measured
	for _, k := range kinds() {
		if !o.only.MatchString(k.name) {
			continue
		}
		got, err := o.measureKind(ctx, k)
		if err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		list = append(list, got)
		// What was measured is kept when a later kind fails, hours after the first.
		if err := o.save(list); err != nil {
			return err
		}
	}
	if o.write == "" {
		fmt.Print(page(o, list))
	}
	return nil
}

// save writes the page and its picture.
func (o options) save(list [][]measured) error {
	if o.write == "" {
		return nil
	}
	picture, err := plot(o, list)
	if err != nil {
		return err
	}
	if err := os.WriteFile(strings.TrimSuffix(o.write, ".md")+".png", picture, 0o644); err != nil {
		return err
	}
	return os.WriteFile(o.write, []byte(page(o, list)), 0o644)
}

func flags() (o options, err error) {
	sizes := flag.String("sizes", "10000,1000000,10000000", "rows to grow to, in rising order")
	only := flag.String("only", "", "a regular expression: kinds of rows to measure")
	flag.IntVar(&o.rounds, "rounds", 200, "how often a call is measured")
	flag.IntVar(&o.starts, "starts", 5, "how often the server is started for the time of its start")
	flag.StringVar(&o.folder, "folder", "", "a folder with space for the largest database; a temporary one when empty")
	flag.StringVar(&o.write, "write", "", "write the page into this file")
	flag.Parse()
	for word := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil || n < 1 {
			return o, fmt.Errorf("-sizes: %q is not a number of rows", word)
		}
		o.sizes = append(o.sizes, n)
	}
	if !slices.IsSorted(o.sizes) {
		return o, fmt.Errorf("-sizes: %s does not rise", *sizes)
	}
	o.only, err = regexp.Compile(*only)
	return o, err
}

// measureKind grows a demo world of its own through all sizes.
func (o options) measureKind(ctx context.Context, k kind) (list []measured, err error) {
	w := &world{options: o, data: filepath.Join(o.folder, strings.ReplaceAll(k.name, " ", "-"))}
	defer os.RemoveAll(w.data) // it is made anew by the next run
	if err := w.make(ctx); err != nil {
		return nil, err
	}
	var have int64
	for _, size := range o.sizes {
		if k.most > 0 && size > k.most {
			break
		}
		if err := w.grow(ctx, k, have, size); err != nil {
			return nil, fmt.Errorf("grow to %d rows: %w", size, err)
		}
		have = size
		got, err := w.measure(ctx, k)
		if err != nil {
			return nil, fmt.Errorf("measure with %d rows: %w", size, err)
		}
		got.kind, got.rows = k.name, size
		fmt.Fprintf(os.Stderr, "%s, %d rows: start %s, %d MB on disk, %d MB of memory\n",
			k.name, size, ms(got.start), got.disk>>20, got.memory>>20)
		list = append(list, got)
	}
	return list, nil
}
