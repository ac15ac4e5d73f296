package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"stoa.dev/stoa/test/conformance"
	"stoa.dev/stoa/test/program"
)

func main() {
	write := flag.String("write", "", "write the full table to this `file`")
	flag.Parse()
	if err := run(os.Stdout, *write, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// run tests, counts and reports; args are passed on to go test.
func run(out io.Writer, write string, args []string) error {
	root, err := program.Root()
	if err != nil {
		return err
	}
	rows, err := conformance.Rows()
	if err != nil {
		return err
	}
	r, testErr := runTests(root, args)
	if r == nil {
		return testErr
	}
	decided, err := decisions(root)
	if err != nil {
		return err
	}
	counts := tally(rows, r, decided)
	console(out, counts)
	if write != "" {
		var page bytes.Buffer
		markdown(&page, counts)
		if err := os.WriteFile(write, page.Bytes(), 0o644); err != nil {
			return err
		}
		fmt.Fprintln(out, "written:", write)
	}
	if len(r.failed) > 0 || testErr != nil {
		return r.failure(testErr)
	}
	return nil
}

// runTests returns what the tests said even when some failed.
func runTests(root string, args []string) (*results, error) {
	cmd := exec.Command("go", append([]string{"test", "-json"}, append(args, "./test/conformance/...")...)...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	r, readErr := read(bytes.NewReader(stdout))
	if readErr != nil {
		return nil, fmt.Errorf("%w\n%s", readErr, stderr.String())
	}
	if err != nil {
		err = fmt.Errorf("go test: %w %s", err, strings.TrimSpace(stderr.String()))
	}
	return r, err
}

// failure names the failing tests with what they printed.
func (r *results) failure(err error) error {
	var text strings.Builder
	for _, name := range r.failed {
		fmt.Fprintf(&text, "\nFAIL %s\n%s", name, r.output[name])
	}
	return fmt.Errorf("%d tests or packages failed (%w)%s", len(r.failed), err, text.String())
}

// decisions returns the package comment of every service that exists.
func decisions(root string) (map[string]string, error) {
	found := map[string]string{}
	for _, s := range conformance.Services() {
		path := filepath.Join(root, "internal", "service", s.Name, "doc.go")
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.PackageClauseOnly)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if _, silent, ok := strings.Cut(f.Doc.Text(), "Where the contract is silent we decided"); ok {
			// What a service says about parts it does not have yet decides nothing.
			decided, _, _ := strings.Cut(silent, "Not served yet")
			found[s.Name] = decided
		}
	}
	return found, nil
}
