package envfile

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// plainWord is what every shell takes as one word, variable what it can keep a text in.
var (
	plainWord = regexp.MustCompile(`^[A-Za-z0-9_./-]+$`)
	variable  = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)
)

// Read reads a file that Write made. Lines without export are read too; one whose name is no
// variable in capitals is left out, for a shell would take it as more than a name.
func Read(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	env := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if name = strings.TrimPrefix(name, "export "); ok && variable.MatchString(name) {
			env[name] = unquote(value)
		}
	}
	return env, nil
}

// Write replaces the file in one step. Only its owner can read it: it holds secrets.
func Write(path string, env map[string]string) error {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(env)) {
		fmt.Fprintf(&b, "export %s=%s\n", name, Quote(env[name]))
	}
	temporary := path + ".new"
	if err := os.WriteFile(temporary, []byte(b.String()), 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// A quote mark ends the word, stands for itself and begins the word again.
const quoteMark = `'\''`

// Quote makes one word for a shell of a text, whatever it holds.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", quoteMark) + "'" }

// Word is a text as it stands in a command: quoted, unless every shell takes it as one word.
func Word(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return Quote(text)
}

func unquote(word string) string {
	inner, begun := strings.CutPrefix(word, "'")
	inner, ended := strings.CutSuffix(inner, "'")
	if !begun || !ended {
		return word
	}
	return strings.ReplaceAll(inner, quoteMark, "'")
}
