package plain

import (
	"fmt"
	"strings"
	"unicode"
)

// Line is a text as part of one line on a terminal: characters that would move the cursor,
// change colours, begin another line or turn the direction of the text are written as
// escapes. Texts of callers are in requests and errors.
func Line(text string) string { return quoteControl(text, "") }

// Lines is Line for a text of several lines.
func Lines(text string) string { return quoteControl(text, "\n\t") }

func quoteControl(text, kept string) string {
	harmful := func(r rune) bool {
		return (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) && !strings.ContainsRune(kept, r)
	}
	if strings.IndexFunc(text, harmful) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case !harmful(r):
			b.WriteRune(r)
		case r <= unicode.MaxLatin1:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
