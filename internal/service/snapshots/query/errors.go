package query

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/wire"
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

// maxQuoted is how many bytes of a caller's text an error or a name repeats.
const maxQuoted = 1000

// Clip cuts a text that is repeated, between two characters.
func Clip(s string) string { return wire.Clip(s, maxQuoted) }

// nearRunes is how much of the text behind a fault is shown.
const nearRunes = 20

// errorAt makes an Error for a byte offset of the text. What it copies of the
// text is bounded.
func errorAt(text string, pos int, format string, args ...any) *Error {
	pos = min(max(pos, 0), len(text))
	before := text[:pos]
	line := 1 + strings.Count(before, "\n")
	column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	var near strings.Builder
	for i := 0; i < nearRunes && pos < len(text); i++ {
		r, size := utf8.DecodeRuneInString(text[pos:])
		near.WriteRune(r) // what is not UTF-8 becomes the replacement character
		pos += size
	}
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = Clip(s)
		}
	}
	return &Error{Reason: fmt.Sprintf(format, args...), Line: line, Column: column, Near: near.String()}
}
