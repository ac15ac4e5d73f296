package web

import (
	"strings"
	"unicode/utf8"
)

// maxTitle is how many letters of a step's name a page shows.
const maxTitle = 60

// stepTitle is the name of a step in a list of steps. A step without a name is called by its command, of which
// the beginning tells enough: the first line, cut between words. The API and the tooltip have the name as it is.
func stepTitle(name string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(name), "\n")
	line = strings.TrimSpace(line)
	if utf8.RuneCountInString(line) <= maxTitle {
		if strings.TrimSpace(rest) != "" {
			return line + " …"
		}
		return line
	}
	letters := []rune(line)[:maxTitle]
	cut := string(letters)
	if at := strings.LastIndexByte(cut, ' '); at > len(cut)/2 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, ` &|;\-`) + " …"
}
