package query

import (
	"fmt"
	"strings"
)

// Error is a refusal of a query: what is wrong and where. Column counts
// characters from one.
type Error struct {
	Reason string
	Line   int
	Column int
	Near   string
}

// Error names the place as editors do.
func (e *Error) Error() string {
	s := fmt.Sprintf("Error parsing query: %s at line %d, column %d", e.Reason, e.Line, e.Column)
	if e.Near != "" {
		s += fmt.Sprintf(", near %q", e.Near)
	}
	return s
}

// errorAt makes an Error for a byte offset of the text.
func errorAt(text string, pos int, format string, args ...any) *Error {
	pos = min(max(pos, 0), len(text))
	before := text[:pos]
	line := 1 + strings.Count(before, "\n")
	column := 1 + len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
	near := strings.ToValidUTF8(text[pos:], "�")
	if r := []rune(near); len(r) > 20 {
		near = string(r[:20])
	}
	return &Error{Reason: fmt.Sprintf(format, args...), Line: line, Column: column, Near: near}
}
