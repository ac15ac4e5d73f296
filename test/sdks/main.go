package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/program"
)

func main() {
	write := flag.String("write", "", "`file` to write the page to")
	only := flag.String("only", "", "run this `folder` alone; its section of the page is written again")
	flag.Parse()
	if err := run(context.Background(), *write, *only); err != nil {
		fmt.Fprintln(os.Stderr, "sdks:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, file, only string) error {
	dirs, err := folders(only)
	if err != nil {
		return err
	}
	if err := installed(dirs, exec.LookPath); err != nil {
		return err
	}
	var all []evidence
	var failed []error
	for _, dir := range dirs {
		e, err := gather(ctx, dir)
		fmt.Printf("%s: %d operations, %d assertions\n", e.folder, len(e.operations()), len(e.passed))
		failed = append(failed, err)
		all = append(all, e)
	}
	if err := errors.Join(failed...); err != nil {
		return err
	}
	var before []byte
	if file != "" {
		if before, err = os.ReadFile(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	text := page(all, services())
	if only != "" && file != "" {
		text = replaced(string(before), all[0])
	}
	if lost := dropped(string(before), text); len(lost) > 0 {
		return fmt.Errorf("the page in %s shows operations that no client drove this time:\n%s", file,
			strings.Join(lost, "\n"))
	}
	if file == "" {
		fmt.Print(text)
		return nil
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// folders are those of the tests, or the one that is asked for.
func folders(only string) ([]string, error) {
	root, err := program.Root()
	if err != nil {
		return nil, err
	}
	found, err := filepath.Glob(filepath.Join(root, "test", "sdk", "*", "go.mod"))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range found {
		name := filepath.Base(filepath.Dir(f))
		if name != "world" && (only == "" || name == only) {
			out = append(out, filepath.Dir(f))
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("test/sdk has no folder %q", only)
	}
	return out, nil
}

func services() []string {
	var out []string
	for _, m := range app.Services() {
		out = append(out, m.Name)
	}
	return out
}
