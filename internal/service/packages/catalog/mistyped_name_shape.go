package catalog

import "strings"

// NameShape reduces a name to what remains when it is mistyped: letter case,
// separators, doubled letters and digits that look like letters go away.
func NameShape(name string) string {
	var b strings.Builder
	b.Grow(len(name))
	var last rune
	for _, r := range strings.ToLower(name) {
		switch r {
		case '-', '_', '.', '/', '@', ':', ' ':
			continue
		case '0':
			r = 'o'
		case '1':
			r = 'l'
		case '5':
			r = 's'
		}
		if r != last {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}
