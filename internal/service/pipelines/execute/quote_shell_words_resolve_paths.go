package execute

import (
	"path"
	"strings"
)

// quote makes one word of the shell out of any text without NUL.
func quote(s string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(s, "\x00", ""), "'", `'\''`) + "'"
}

// quoteAll makes words of a list.
func quoteAll(list []string) string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = quote(s)
	}
	return strings.Join(words, " ")
}

// pattern quotes a path but leaves * ? and [] to the shell.
func pattern(s string) string {
	var b strings.Builder
	for _, c := range s {
		switch {
		case c == 0:
		case strings.ContainsRune("*?[]", c), c == '/', c == '.', c == '-', c == '_',
			c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			b.WriteRune(c)
		case c == '\n':
			b.WriteString("'\n'")
		default:
			b.WriteString(`\` + string(c))
		}
	}
	return b.String()
}

// place resolves a path as written in a recipe: ~ is the home of the job, and
// what is relative lies below the given folder. No file is looked at.
func place(home, below, p string) string {
	switch {
	case p == "~":
		return home
	case strings.HasPrefix(p, "~/"):
		return path.Join(home, p[2:])
	case path.IsAbs(p):
		return path.Clean(p)
	default:
		return path.Join(below, p)
	}
}

// inside reports whether p lies in dir, or is it, and where.
func inside(dir, p string) (rest string, ok bool) {
	if p == dir {
		return ".", true
	}
	if rest, ok = strings.CutPrefix(p, strings.TrimSuffix(dir, "/")+"/"); ok {
		return rest, true
	}
	return "", false
}
