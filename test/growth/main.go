package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/test/bench/drive"
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
	kept   string
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
	r, err := readResults(o.kept, o.sizes)
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
	demo, err := o.demo(ctx)
	if err != nil {
		return err
	}
	for _, k := range kinds() {
		if !o.only.MatchString(k.name) {
			continue
		}
		got, err := o.measureKind(ctx, demo, k)
		if err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		r.put(got)
		// What was measured is kept when a later kind fails, hours after the first.
		if err := o.save(r); err != nil {
			return err
		}
	}
	if o.write == "" {
		fmt.Print(page(r))
		return nil
	}
	return o.save(r)
}

// save writes what was measured, the page and its picture.
func (o options) save(r results) error {
	if o.write == "" {
		return nil
	}
	if err := r.write(o.kept); err != nil {
		return err
	}
	picture, err := plot(r)
	if err != nil {
		return err
	}
	if err := os.WriteFile(strings.TrimSuffix(o.write, ".md")+".png", picture, 0o644); err != nil {
		return err
	}
	return os.WriteFile(o.write, []byte(page(r)), 0o644)
}

func flags() (o options, err error) {
	sizes := flag.String("sizes", "10000,1000000,10000000", "rows to grow to, in rising order")
	only := flag.String("only", "", "a regular expression: kinds of rows to measure, the others are kept")
	flag.IntVar(&o.rounds, "rounds", 200, "how often a call is measured")
	flag.IntVar(&o.starts, "starts", 5, "how often the server is started for the time of its start")
	flag.StringVar(&o.folder, "folder", "", "a folder with space for three databases; a temporary one when empty")
	flag.StringVar(&o.write, "write", "", "write the page into this file")
	flag.StringVar(&o.kept, "kept", "", "the file of what was measured, which the page is made of")
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
	if o.write != "" && o.kept == "" {
		return o, fmt.Errorf("-write %s: -kept must say which file the page is made of", o.write)
	}
	o.only, err = regexp.Compile(*only)
	return o, err
}

// demo is the world that all others are copies of.
func (o options) demo(ctx context.Context) (*world, error) {
	w := &world{options: o, data: filepath.Join(o.folder, "demo"), began: time.Now()}
	if err := w.serve(ctx); err != nil {
		return nil, err
	}
	return w, w.server.Stop(ctx)
}

// measureKind grows the demo world into one of each size, serves them all and asks them in turn,
// so that what else the machine does meets every size alike.
func (o options) measureKind(ctx context.Context, demo *world, k kind) (grown, error) {
	folder := filepath.Join(o.folder, strings.ReplaceAll(k.name, " ", "-"))
	defer os.RemoveAll(folder) // it is made anew by the next run
	worlds, err := o.growWorlds(ctx, demo, k, folder)
	if err != nil {
		return grown{}, err
	}
	g := grown{
		Kind: k.name, Day: time.Now().UTC().Format(time.DateOnly), Cores: runtime.NumCPU(), Load: drive.LoadAverage(),
	}
	if g.Sizes, err = measure(ctx, worlds, k); err != nil {
		return grown{}, err
	}
	for _, m := range g.Sizes {
		fmt.Fprintf(os.Stderr, "%s, %d rows: start %s, %d MB on disk, %d MB of memory\n",
			k.name, m.Rows, ms(m.Start), m.Disk>>20, m.Memory>>20)
	}
	return g, nil
}

// growWorlds makes a world of each size, the larger ones of a copy of the smaller.
func (o options) growWorlds(ctx context.Context, demo *world, k kind, folder string) ([]*world, error) {
	var worlds []*world
	before := demo
	for _, size := range o.sizes {
		if k.most > 0 && size > k.most {
			break
		}
		w := &world{
			options: o, data: filepath.Join(folder, strconv.FormatInt(size, 10)), rows: size, began: demo.began,
		}
		err := copyFolder(w.data, before.data)
		if err == nil {
			err = w.grow(ctx, k, before.rows, size)
		}
		if err != nil {
			return nil, fmt.Errorf("grow to %d rows: %w", size, err)
		}
		worlds, before = append(worlds, w), w
	}
	return worlds, nil
}

// copyFolder copies what a server left; it looks at the modes of its files.
func copyFolder(to, from string) error {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return os.Chmod(to+strings.TrimPrefix(path, from), info.Mode().Perm())
	})
}
