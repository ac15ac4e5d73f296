package columns

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// day and clock are the halves of a time as tables show it.
var (
	day   = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	clock = regexp.MustCompile(`^\d\d:\d\d:\d\d`)
)

// words are what a line is broken between: a time is one.
func words(value string) []string {
	list := strings.Fields(value)
	for i := 0; i+1 < len(list); i++ {
		if day.MatchString(list[i]) && clock.MatchString(list[i+1]) {
			list[i] += " " + list[i+1]
			list = append(list[:i+1], list[i+2:]...)
		}
	}
	return list
}

// longest is the length of the longest word.
func longest(value string) (n int) {
	for _, word := range words(value) {
		n = max(n, utf8.RuneCountInString(word))
	}
	return n
}

// Wrap breaks a text into lines of at most width letters, between words. A word that is
// longer goes on in the next line.
func Wrap(value string, width int) []string {
	if utf8.RuneCountInString(value) <= width && !strings.Contains(value, Break) {
		return []string{value}
	}
	var lines []string
	line := ""
	for _, word := range words(value) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		rest := []rune(word)
		for ; len(rest) > width && width > 0; rest = rest[width:] {
			lines = append(lines, string(rest[:width]))
		}
		line = string(rest)
	}
	return append(lines, line)
}

// Paragraph wraps each line of a text, and keeps the indent of the line where it goes on.
func Paragraph(text string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		begin := line[:len(line)-len(strings.TrimLeft(line, " "))]
		if utf8.RuneCountInString(line) <= width || width < 2*len(begin) {
			b.WriteString(line + "\n")
			continue
		}
		b.WriteString(Hang(begin, Wrap(strings.TrimLeft(line, " "), width-len(begin)), len(begin)))
	}
	return b.String()
}

// member is a line with a name of one word, a gap and a value.
var member = regexp.MustCompile(`^( *\S+  +)(\S.*)$`)

// Members wraps lines of a name and a value: a value goes on below itself, or below its
// name where it does not fit beside it.
func Members(text string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		found := member.FindStringSubmatch(line)
		if utf8.RuneCountInString(line) <= width || found == nil {
			b.WriteString(Paragraph(line+"\n", width))
			continue
		}
		begin, value := found[1], found[2]
		indent := utf8.RuneCountInString(begin)
		if left := width - indent; left < besides || longest(value) > left {
			below := min(2, width-1)
			b.WriteString(Paragraph(strings.TrimRight(begin, " ")+"\n", width))
			b.WriteString(Hang(strings.Repeat(" ", below), Wrap(value, width-below), below))
			continue
		}
		b.WriteString(Hang(begin, Wrap(value, width-indent), indent))
	}
	return b.String()
}
