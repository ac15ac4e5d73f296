package pgpool

import (
	"slices"
	"strings"
)

// OneLine is an error whose text says each of its lines once, in one: the driver tells every address that it tried,
// with the same cause, on a line with a tab.
func OneLine(err error) error {
	var lines []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	text := strings.ReplaceAll(strings.Join(lines, "; "), ":; ", ": ")
	return oneLine{err, text}
}

type oneLine struct {
	cause error
	text  string
}

func (e oneLine) Error() string { return e.text }

func (e oneLine) Unwrap() error { return e.cause }
