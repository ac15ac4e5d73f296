package main

import (
	"fmt"
	"os"
	"strings"
)

// The tables, beside this file.
const (
	targetFile = "targets.tsv"
	resultFile = "results.tsv"
)

// How far a target is shown.
const (
	full = "full"
	part = "part"
	none = "none"
)

// target is one row of targets.tsv.
type target struct {
	ID, State string
	Asked     string // what is asked for, with the number of a usual run
	Command   string // what shows it; empty when nothing does
	Long      string // its long form, empty when there is none
	Missing   string // what is not shown; empty when it is full
}

// fields reads the rows of a table with so many columns; lines that begin with # say
// what they are.
func fields(file string, columns int) ([][]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for n, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		row := strings.Split(line, "\t")
		if len(row) != columns {
			return nil, fmt.Errorf("%s:%d: %d columns, want %d", file, n+1, len(row), columns)
		}
		for i := range row {
			if row[i] == "-" {
				row[i] = ""
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func readTargets(file string) ([]target, error) {
	rows, err := fields(file, 6)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var all []target
	for _, r := range rows {
		t := target{ID: r[0], State: r[1], Asked: r[2], Command: r[3], Long: r[4], Missing: r[5]}
		if err := t.check(); err != nil || seen[t.ID] {
			return nil, fmt.Errorf("%s: target %s: %w", file, t.ID, err)
		}
		seen[t.ID] = true
		all = append(all, t)
	}
	return all, nil
}

// check refuses a row that claims more than it says.
func (t target) check() error {
	switch {
	case t.State != full && t.State != part && t.State != none:
		return fmt.Errorf("the state %q is not one of full, part and none", t.State)
	case (t.State == none) != (t.Command == ""):
		return fmt.Errorf("a target is none if and only if it has no command")
	case (t.State == full) != (t.Missing == ""):
		return fmt.Errorf("a target is full if and only if nothing is missing")
	}
	return nil
}
