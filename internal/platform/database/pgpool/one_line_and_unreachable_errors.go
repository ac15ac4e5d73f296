package pgpool

import (
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
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

// Unreachable reports that PostgreSQL did not answer, instead of refusing something.
func Unreachable(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) ||
		strings.Contains(err.Error(), "conn closed") || strings.Contains(err.Error(), "bad connection")
}
