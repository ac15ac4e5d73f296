package search

import (
	"strings"
)

// splitCode parts the code of a Markdown text, the lines between fences, from the
// rest.
func splitCode(markdown string) (prose, code string) {
	var outside, inside strings.Builder
	fence := ""
	for line := range strings.Lines(markdown) {
		mark := fenceOf(line)
		switch {
		case fence == "" && mark != "":
			fence = mark
		case fence != "" && strings.HasPrefix(mark, fence):
			fence = ""
		case fence != "":
			inside.WriteString(line)
		default:
			outside.WriteString(line)
		}
	}
	return outside.String(), inside.String()
}

// fenceOf is the fence that a line begins with; empty without one.
func fenceOf(line string) string {
	text := strings.TrimLeft(line, " ")
	for _, mark := range []string{"`", "~"} {
		if n := len(text) - len(strings.TrimLeft(text, mark)); n >= 3 && len(line)-len(text) < 4 {
			return text[:n]
		}
	}
	return ""
}
