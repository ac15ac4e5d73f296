package labpages

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Matches says what a rule is about.
func (f fault) Matches() string {
	subject := "every request"
	switch service, _ := f.Match["service"].(string); service {
	case "":
	case "jobs":
		subject = "jobs"
	case "deliveries":
		subject = "messages"
	default:
		subject = "requests to " + service
	}
	for _, name := range slices.Sorted(maps.Keys(f.Match)) {
		if name == "service" {
			continue
		}
		subject += ", " + name + " " + plain(f.Match[name])
	}
	return subject
}

// Times says which of them.
func (f fault) Times() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(f.When)) {
		value := plain(f.When[name])
		parts = append(parts, map[string]string{
			"nth": "only number " + value, "first": "the first " + value, "every": "every " + value + ". one",
			"after": "all after the first " + value, "share": "a share of " + value, "from": "from " + value,
			"until": "until " + value,
		}[name])
	}
	if len(parts) == 0 {
		return "always"
	}
	return strings.Join(parts, ", ")
}

// Does says what happens to them.
func (f fault) Does() string {
	for name, value := range f.Deed {
		text := plain(value)
		switch name {
		case "fault":
			return "fails with " + text
		case "status":
			return "answers " + text
		case "delay":
			return "waits " + text
		case "cut":
			return "cuts the answer: " + text
		case "drip":
			return "sends slowly: " + text
		case "reset":
			return "resets the connection"
		case "drop":
			return "loses the message"
		case "duplicate":
			return "sends it " + text + " times"
		case "fail":
			return "fails with the error " + text
		}
	}
	return ""
}

// plain is a value of a rule as a person would write it.
func plain(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, name+" "+plain(v[name]))
		}
		return strings.Join(parts, ", ")
	case float64:
		return strings.TrimSuffix(fmt.Sprintf("%g", v), ".0")
	}
	text, _ := json.Marshal(value) // it came as JSON
	return string(text)
}

// formWords says what the lab refuses in the words of the form.
func formWords(text string) string {
	return strings.NewReplacer(
		"match.operation", "the operation", "match.service", "the service", "match.path", "the path",
		"match.caller", "the caller", "when.nth", "n", "when.every", "n", "when.first", "n", "when.after", "n",
		"deed.fault", "the failure", "deed.status", "the status", "deed.delay", "the delay", "deed.duplicate", "the copies",
		"deed.cut.afterBytes", "the bytes", "deed.drip.bytesPerSecond", "the bytes a second", "deed", "what happens",
		"a member must be", "the value must be",
		"docs/openapi has the names of the operations", "the field lists them",
		"docs/lab.md and docs/faults.md list the members",
		"/docs/faults explains them",
	).Replace(text)
}
