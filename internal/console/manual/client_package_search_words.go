package manual

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var (
	clientLine = regexp.MustCompile(`(?m)^For clients of (.+)$`)
	clientName = regexp.MustCompile("`([^`]+)`")
	versionish = regexp.MustCompile(`^v?\d+$`)
)

// clientWords are the words by which readers of a service's page look for it who know only the client that they use:
// the names of the packages that the page says it is for, and what these consist of.
func clientWords(source []byte) []string {
	line := clientLine.FindSubmatch(source)
	if line == nil {
		return nil
	}
	var words []string
	add := func(word string) {
		if len(word) > 1 && !slices.Contains(words, word) && !slices.Contains(commonWords(), word) &&
			!versionish.MatchString(word) {
			words = append(words, word)
		}
	}
	for _, found := range clientName.FindAllSubmatch(line[1], -1) {
		name := strings.ToLower(string(found[1]))
		add(name)
		// Where a module is kept says nothing about what it is for.
		for _, host := range []string{"github.com/", "google.golang.org/", "golang.org/x/"} {
			name = strings.TrimPrefix(name, host)
		}
		for part := range strings.SplitSeq(name, "/") {
			add(part)
		}
		separates := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
		for _, part := range strings.FieldsFunc(name, separates) {
			add(part)
		}
	}
	return words
}

// commonWords are parts of the names of packages that no reader means one service by.
func commonWords() []string {
	return []string{
		"ai", "api", "app", "auth", "cli", "client", "cloud", "com", "dev", "go", "io", "js", "org", "provider", "py",
		"python", "requests", "sdk",
	}
}
