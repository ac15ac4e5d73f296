package plain

import (
	"regexp"
	"strings"
)

// commands matches the beginning of a command of ours in a hint that looks at a data folder.
var commands = regexp.MustCompile(`\bstoa (start|stop|status|logs|open|check|backup|seed|user|team|org|client|` +
	`grant|token|key|audit|repo|jobs|deliveries|packages|models|env)\b`)

// Given are the flags that say which server is meant.
type Given struct{ Data, Config, Database string }

// Hint is a hint whose commands mean the server that was named: with its data folder, its
// configuration and its database. Addresses of databases hold passwords, and are left to be filled in.
func (g Given) Hint(text string) string {
	flags := ""
	if g.Data != "" {
		flags += " --data " + quoted(g.Data)
	}
	if g.Config != "" {
		flags += " --config " + quoted(g.Config)
	}
	if g.Database != "" {
		flags += " --database postgres://..."
	}
	return commands.ReplaceAllString(text, "stoa"+strings.ReplaceAll(flags, "$", "$$")+" $1")
}

// quoted is a word of a shell.
func quoted(word string) string {
	if strings.ContainsAny(word, " '\"$&;|<>()*?`\\") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
