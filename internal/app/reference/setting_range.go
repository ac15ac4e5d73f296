package reference

import (
	"regexp"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/settings"
)

// tried are values of a type that a setting with a range refuses.
func tried(words string) []string {
	switch words {
	case "whole number", "number":
		return []string{"-1", "0", "99999999999"}
	case "duration":
		return []string{"-1s", "0s", "999999h"}
	case "text":
		return []string{"nonsense"}
	}
	return nil
}

// refusal is the end of a line in which the validation refuses a value: what it takes, and what it was given.
var refusal = regexp.MustCompile(`^(?:: ".*?")? (?:must be|must|is not) (.*?)(?:, not [^ ]+)?$`)

// Range says which values a setting takes, in the words in which the validation refuses others. It is empty where none
// of those that are tried is refused.
func Range(s settings.Setting) string {
	var parts []string
	for _, value := range tried(s.Type) {
		config := app.DefaultConfig()
		if settings.ReadFile(&config, "", []byte(document(s.Name, value))) != nil {
			continue // not a value of the type, which is said where it is read
		}
		found := refusal.FindStringSubmatch(refused(&config, s.Name))
		if found == nil {
			continue
		}
		if part := afterTakes(found[1]); !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " and ")
}

// zeros are the ends of a duration as the language writes it, which readers leave out.
var zeros = regexp.MustCompile(`\b(\d+h)0m0s|\b((?:\d+h)?\d+m)0s`)

// afterTakes turns what a value must be, or must not, into what a setting takes.
func afterTakes(words string) string {
	words = strings.NewReplacer("not be negative", "0 or more", "not be longer than", "at most").Replace(words)
	return zeros.ReplaceAllString(words, "$1$2")
}

// document is a configuration file with one setting.
func document(name, value string) string {
	parts := strings.Split(name, ".")
	return strings.Join(parts, ": {") + ": " + value + strings.Repeat("}", len(parts)-1) + "\n"
}

// Refused is why the validation refuses the value of a setting, empty where it does not.
func Refused(config *app.Config, name string) string {
	if words := refused(config, name); words != "" {
		return name + words
	}
	return ""
}

// refused is the rest of the line about a setting in the refusal of a configuration.
func refused(config *app.Config, name string) string {
	err := config.Validate()
	if err == nil {
		return ""
	}
	text := strings.TrimPrefix(err.Error(), app.ErrConfig.Error()+":")
	for line := range strings.Lines(text) {
		rest, found := strings.CutPrefix(strings.TrimSpace(line), name)
		if found && (strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, ": ")) {
			return rest
		}
	}
	return ""
}
