package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// writePage writes docs/benchmarks.md: the whole page, or after a run of some rows
// only those in the page that is there.
func writePage(file, table, busy, only, args string) error {
	text := page(table, busy, args)
	if only != "" {
		old, err := os.ReadFile(file)
		switch {
		case err == nil:
			text = []byte(mergePage(string(old), table, fmt.Sprintf("- rows that match `%s`: %s, load average %s",
				only, time.Now().UTC().Format(time.DateOnly), busy)))
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return os.WriteFile(file, text, 0o644)
}

// mergePage lays the rows of a table over those of a page, new ones at its end, and
// says in a line of its own when they were measured.
func mergePage(old, table, note string) string {
	lines := strings.Split(strings.TrimRight(old, "\n"), "\n")
	for _, row := range strings.Split(strings.TrimSpace(table), "\n")[2:] { // after the head
		name, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " | ")
		at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "| "+name+" | ") })
		if at < 0 {
			lines = append(lines, row)
			continue
		}
		lines[at] = row
	}
	which, _, _ := strings.Cut(note, ": ")
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, which+": ") })
	if at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "- Go: ") }); at >= 0 {
		lines = slices.Insert(lines, at+1, note)
	}
	return strings.Join(lines, "\n") + "\n"
}
