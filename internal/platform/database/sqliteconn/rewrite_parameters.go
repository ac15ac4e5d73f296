package sqliteconn

import (
	"regexp"
	"strings"
)

// boundLimit finds a bare parameter as a row limit. SQLite plans such a
// statement for the value it is bound to, and so parses it again at every
// execution, which costs more than a short read itself. Any expression in its
// place ends that; PostgreSQL has no use for one and would not know its type.
// It is immutable.
var boundLimit = regexp.MustCompile(`\b(LIMIT|OFFSET)(\s+)\$`)

func planOnce(text string) string { return boundLimit.ReplaceAllString(text, "$1$2+$$") }

// numbered writes the parameters $1…$n as ?1…?n. To SQLite the first form is
// a name, which it would number by its place in the text.
func numbered(text string) string {
	var b strings.Builder
	var quote byte
	for i := range len(text) {
		at := text[i]
		switch {
		case quote != 0:
			if at == quote {
				quote = 0 // a doubled one opens it again at once
			}
		case at == '\'' || at == '"':
			quote = at
		case at == '$' && i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9':
			at = '?'
		}
		b.WriteByte(at)
	}
	return b.String()
}
