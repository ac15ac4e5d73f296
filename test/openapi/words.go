package main

import (
	"bufio"
	"errors"
	"fmt"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/route"
)

// maxSummary is what a line of the reference has space for.
const maxSummary = 90

// words are the sentences of one module: those of the reference.tsv beside its
// routes, and the parameters that mean the same everywhere.
type words struct {
	operations map[string]sentence
	parameters map[string]string
	shared     map[string]string
	// used are the rows that an operation asked for, by their key.
	used    map[string]bool
	missing []error
}

type sentence struct{ summary, description string }

// readWords reads the tables of a module. One without a table describes its
// operations by the comments of their handlers.
func readWords(root, module string) (*words, error) {
	w := &words{
		operations: map[string]sentence{}, parameters: map[string]string{}, shared: map[string]string{},
		used: map[string]bool{},
	}
	if err := w.read(filepath.Join(root, "test", "openapi", "parameters.tsv"), w.shared); err != nil {
		return nil, err
	}
	beside := filepath.Join(root, strings.TrimPrefix(home(module), "stoa.dev/stoa/"), "reference.tsv")
	if err := w.read(beside, w.parameters); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return w, nil
}

// read reads rows of the form "operation NAME SUMMARY [DESCRIPTION]" and
// "parameter [OPERATION:]NAME WORDS", separated by tabs.
func (w *words) read(name string, parameters map[string]string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // only read
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		switch {
		case cells[0] == "operation" && len(cells) == 3 && w.operations[cells[1]].summary == "":
			w.operations[cells[1]] = sentence{summary: cells[2]}
		case cells[0] == "operation" && len(cells) == 4 && w.operations[cells[1]].summary == "":
			w.operations[cells[1]] = sentence{summary: cells[2], description: cells[3]}
		case cells[0] == "parameter" && len(cells) == 3 && parameters[cells[1]] == "":
			parameters[cells[1]] = cells[2]
		default:
			return fmt.Errorf("%s:%d: neither an operation nor a parameter, or named twice: %q", name, number, line)
		}
	}
	return lines.Err()
}

// operation is what the table says about an operation, or else the handler's
// comment: its first sentence and the rest.
func (w *words) operation(r route.Route, handler *types.Func, comment string) sentence {
	s, ok := w.operations[r.Name]
	if ok {
		w.used["operation "+r.Name] = true
	} else if rest, found := strings.CutPrefix(comment, handler.Name()+" "); found {
		first, more, _ := strings.Cut(strings.Join(strings.Fields(rest), " "), ". ")
		s = sentence{
			summary:     strings.ToUpper(first[:1]) + strings.TrimSuffix(first[1:], "."),
			description: more,
		}
	}
	if s.summary == "" {
		w.fail("operation %s (%s) has no words", r.Name, handler.Name())
	} else if n := utf8.RuneCountInString(s.summary); n > maxSummary || strings.HasSuffix(s.summary, ".") {
		w.fail("operation %s: the summary has %d characters (at most %d) or ends in a full stop", r.Name, n, maxSummary)
	}
	return s
}

// parameter is the meaning of a parameter: of this operation, of this module, or
// of all.
func (w *words) parameter(operation, name string) string {
	for _, key := range []string{operation + ":" + name, name} {
		if text := w.parameters[key]; text != "" {
			w.used["parameter "+key] = true
			return text
		}
	}
	text := w.shared[name]
	if text == "" {
		w.fail("parameter %s of %s has no words", name, operation)
	}
	return text
}

func (w *words) fail(format string, values ...any) {
	w.missing = append(w.missing, fmt.Errorf(format, values...))
}

// check fails when words are missing, or are there for what is not.
func (w *words) check() error {
	for name := range w.operations {
		if !w.used["operation "+name] {
			w.fail("reference.tsv describes operation %s, which is not in the route table", name)
		}
	}
	for name := range w.parameters {
		if !w.used["parameter "+name] {
			w.fail("reference.tsv describes parameter %s, which no operation reads", name)
		}
	}
	return errors.Join(w.missing...)
}
