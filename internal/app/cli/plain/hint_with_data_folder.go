package plain

import (
	"regexp"
	"strings"
)

// commands matches the beginning of a command of ours in a hint that looks at a data folder.
var commands = regexp.MustCompile(`\bstoa (start|stop|status|logs|open|check|backup|seed|user|team|org|client|` +
	`grant|token|key|audit|repo|jobs|deliveries|packages|models|env)\b`)

// Hint is a hint whose commands look at the data folder that was named.
func Hint(text, folder string) string {
	if folder == "" {
		return text
	}
	return commands.ReplaceAllString(text, "stoa --data "+strings.ReplaceAll(quoted(folder), "$", "$$")+" $1")
}

// quoted is a word of a shell.
func quoted(word string) string {
	if strings.ContainsAny(word, " '\"$&;|<>()*?`\\") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
