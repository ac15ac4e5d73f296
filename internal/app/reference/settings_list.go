package reference

import (
	"strings"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/settings"
)

// Entry is one setting and what it means.
type Entry struct {
	settings.Setting
	Default string `json:"default"`
	Meaning string `json:"meaning"`
}

// Settings lists every setting in the order of the file, with the values of config.
func Settings(config *app.Config) []Entry {
	words := settings.Meanings()
	defaults := app.DefaultConfig()
	given := settings.Describe(config)
	entries := make([]Entry, 0, len(given))
	for i, s := range settings.Describe(&defaults) {
		entries = append(entries, Entry{Setting: given[i], Default: s.Value, Meaning: words[s.Name]})
	}
	return entries
}

// Find is the setting of that name, or of that environment variable, or the settings
// of the section; when there are none, near is the nearest name.
func Find(entries []Entry, name string) (found []Entry, near string) {
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name)
		if section, _, below := strings.Cut(e.Name, "."); below {
			names = append(names, section)
		}
		if e.Name == name || e.Variable == name || strings.HasPrefix(e.Name, name+".") {
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		key := strings.ToLower(strings.TrimPrefix(name, "STOA_"))
		near = settings.Near(key, names)
	}
	return found, near
}
