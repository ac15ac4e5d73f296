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
	return &Error{Line: n.line, Column: n.column, Message: clip(fmt.Sprintf(format, args...))}
}

func whole(format string, args ...any) error {
	return &Error{Message: clip(fmt.Sprintf(format, args...))}
}

// maxMessage bounds a message: it may list all names of a file.
const maxMessage = 2 << 10

func clip(text string) string {
	if len(text) > maxMessage {
		return strings.ToValidUTF8(text[:maxMessage], "") + "…"
	}
	return text
}

// list joins names for a sentence.
func list(names []string) string { return strings.Join(names, ", ") }
