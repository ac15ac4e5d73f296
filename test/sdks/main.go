package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/program"
)

func main() {
	write := flag.String("write", "", "`file` to write the page to")
	only := flag.String("only", "", "run this `folder` alone and print; nothing is written")
	flag.Parse()
	if err := run(context.Background(), *write, *only); err != nil {
		fmt.Fprintln(os.Stderr, "sdks:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, file, only string) error {
	root, err := program.Root()
	if err != nil {
		return err
	}
	folders, err := filepath.Glob(filepath.Join(root, "test", "sdk", "*", "go.mod"))
	if err != nil {
		return err
	}
	var all []evidence
	var failed []error
	for _, f := range folders {
		dir := filepath.Dir(f)
		name := filepath.Base(dir)
		if name == "world" || only != "" && name != only {
			continue
		}
		e, err := gather(ctx, dir)
		fmt.Printf("%s: %d operations, %d assertions\n", name, len(e.operations()), len(e.passed))
		failed = append(failed, err)
		all = append(all, e)
	}
	if err := errors.Join(failed...); err != nil {
		return err
	}
	var services []string
	for _, m := range app.Services() {
		services = append(services, m.Name)
	}
	text := page(all, services)
	if only != "" || file == "" {
		fmt.Print(text)
		return nil
	}
	before, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if lost := dropped(string(before), text); len(lost) > 0 {
		return fmt.Errorf("the page in %s shows operations that no client drove this time:\n%s", file,
			strings.Join(lost, "\n"))
	}
	return os.WriteFile(file, []byte(text), 0o644)
}
