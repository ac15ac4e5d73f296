package settings

import (
	_ "embed"
	"strings"
)

//go:embed meanings.tsv
var meanings string

// Meanings are what the settings are for, by name. They are the comments of the structs,
// which are not in the binary.
func Meanings() map[string]string {
	words := map[string]string{}
	for line := range strings.Lines(meanings) {
		name, meaning, _ := strings.Cut(strings.TrimSpace(line), "\t")
		words[name] = meaning
	}
	return words
}
