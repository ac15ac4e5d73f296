package recipe

import (
	"errors"
	"fmt"
	"strings"

	"stoa.dev/stoa/internal/platform/wire"
)

// Error is one thing wrong with a configuration. Line and Column count from 1;
// they are 0 for what is wrong with the file as a whole. File is the file that
// they are of, an orb's for example.
type Error struct {
	File         string
	Line, Column int
	Message      string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// named gives an error about the file as a whole the name of the file.
func named(err error, file string) error {
	var e *Error
	if errors.As(err, &e) && e.File == "" {
		e.File = file
	}
	return err
}

// errorf is an error at a place in the text.
func (n *node) errorf(format string, args ...any) error {
	return &Error{File: n.file, Line: n.line, Column: n.column, Message: clip(fmt.Sprintf(format, args...))}
}

func whole(format string, args ...any) error {
	return &Error{Message: clip(fmt.Sprintf(format, args...))}
}

// maxMessage bounds a message: it may list all names of a file.
const maxMessage = 2 << 10

func clip(text string) string { return wire.Clip(text, maxMessage) }

// list joins names for a sentence.
func list(names []string) string { return strings.Join(names, ", ") }
