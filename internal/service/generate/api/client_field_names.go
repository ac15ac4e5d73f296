package api

import (
	"maps"
	"strings"
)

// Spelling is how members are named to a client: the contract's name to the client's
// own, where they differ.
type Spelling map[string]string

// Over is the spelling with that of another for what it lacks.
func (s Spelling) Over(other map[string]string) Spelling {
	if len(s) == 0 {
		return other
	}
	out := maps.Clone(other)
	if out == nil {
		out = map[string]string{}
	}
	maps.Copy(out, s)
	return out
}

// Field is a path such as "tools[0].webSearch" in the client's words.
func (s Spelling) Field(path string) string {
	if len(s) == 0 {
		return path
	}
	steps := strings.Split(path, ".")
	for i, step := range steps {
		name, index, _ := strings.Cut(step, "[")
		own, ok := s[name]
		if !ok {
			continue
		}
		if steps[i] = own; index != "" {
			steps[i] += "[" + index
		}
	}
	return strings.Join(steps, ".")
}

// Message is a text that names a path once, with the path in the client's words.
func (s Spelling) Message(text, path string) string {
	if path == "" {
		return text
	}
	return strings.Replace(text, path, s.Field(path), 1)
}

// Note is a text that begins with a path and a colon.
func (s Spelling) Note(text string) string {
	path, _, found := strings.Cut(text, ": ")
	if !found {
		return text
	}
	return s.Message(text, path)
}
