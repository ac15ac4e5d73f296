package seed

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Error is why a file is refused, and where.
type Error struct {
	// File is the name of the file, as the caller gave it.
	File         string
	Line, Column int
	// Path is the member, such as calendars[0].events[2]; empty for the whole file.
	Path string
	Err  error
}

// Error is FILE:LINE:COLUMN: PATH: the reason.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: ", e.File, e.Line, e.Column)
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap is the reason.
func (e *Error) Unwrap() error { return e.Err }

// pathError is a failure below an element.
type pathError struct {
	path []any // names and indexes
	err  error
}

func (e *pathError) Error() string { return pathText(e.path) + ": " + e.err.Error() }
func (e *pathError) Unwrap() error { return e.err }

// At says which member of an element a failure is about: names and indexes, as in
// At(err, "events", 2). A nil error stays nil.
func At(err error, path ...any) error {
	if err == nil {
		return nil
	}
	var below *pathError
	if errors.As(err, &below) && error(below) == err { //nolint:errorlint // what wraps one has a text of its own
		return &pathError{path: append(append([]any{}, path...), below.path...), err: below.err}
	}
	return &pathError{path: path, err: err}
}

// pathText writes a path as in calendars[0].events.
func pathText(path []any) string {
	var b strings.Builder
	for _, step := range path {
		switch step := step.(type) {
		case int:
			b.WriteString("[" + strconv.Itoa(step) + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			fmt.Fprint(&b, step)
		}
	}
	return b.String()
}
