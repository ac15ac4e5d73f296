package recipe

import (
	"fmt"
	"strings"
)

// Error is one thing wrong with a pipeline.yml. Line and Column count from 1;
// they are 0 for what is wrong with the file as a whole.
type Error struct {
	Line, Column int
	Message      string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return "pipeline.yml: " + e.Message
	}
	return fmt.Sprintf("pipeline.yml:%d:%d: %s", e.Line, e.Column, e.Message)
}

// errorf is an error at a place in the text.
func (n *node) errorf(format string, args ...any) error {
	return &Error{Line: n.line, Column: n.column, Message: fmt.Sprintf(format, args...)}
}

func whole(format string, args ...any) error {
	return &Error{Message: fmt.Sprintf(format, args...)}
}

// list joins names for a sentence.
func list(names []string) string { return strings.Join(names, ", ") }
