package events

import (
	"slices"
	"strings"
)

// Search is what events are looked for: every part must hold.
type Search struct {
	tags, words, types []string
	host, source       string
	priority           string
}

// ParseSearch reads a search such as "tags:env:prod,role:db status:error
// deploy". Words without a known key are looked for in title and text.
func ParseSearch(text string) Search {
	var m Search
	for _, word := range strings.Fields(strings.ToLower(text)) {
		key, value, ok := strings.Cut(word, ":")
		switch {
		case word == "*":
		case ok && key == "tags":
			m.tags = append(m.tags, splitList(value)...)
		case ok && (key == "hosts" || key == "host"):
			m.host = value
		case ok && (key == "sources" || key == "source"):
			m.source = value
		case ok && (key == "status" || key == "alert_type"):
			m.types = append(m.types, splitList(value)...)
		case ok && key == "priority":
			m.priority = value
		case ok:
			m.tags = append(m.tags, word)
		default:
			m.words = append(m.words, word)
		}
	}
	return m
}

// Accepts reports whether an event is one of those.
func (m Search) Accepts(e Event) bool {
	for _, tag := range m.tags {
		if !slices.Contains(e.Tags, tag) {
			return false
		}
	}
	text := strings.ToLower(e.Title + "\n" + e.Text)
	for _, w := range m.words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return (m.host == "" || m.host == strings.ToLower(e.Host)) &&
		(m.source == "" || m.source == strings.ToLower(e.Source)) &&
		(m.priority == "" || m.priority == "all" || m.priority == e.Priority) &&
		(len(m.types) == 0 || slices.Contains(m.types, e.AlertType))
}

func splitList(s string) []string {
	var out []string
	for _, p := range strings.Split(strings.ToLower(s), ",") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}
