package conformance

import (
	"encoding/json"
	"slices"
	"strings"
)

// InEnvelope reports whether an answer has the form of a service's failures.
func InEnvelope(service string, status int, answer []byte) bool {
	text := strings.TrimSpace(string(answer))
	if strings.HasPrefix(text, "[") { // a stream of one
		text = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	}
	if service == "pipelines" { // JSON or EDN
		return strings.Contains(text, "message")
	}
	var body map[string]any
	if json.Unmarshal([]byte(text), &body) != nil {
		return false
	}
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return body[name] == nil })
	}
	switch service {
	case "tasks", "labels", "calendar", "generate":
		inner, _ := body["error"].(map[string]any)
		return inner["code"] == float64(status) && inner["message"] != nil
	case "snapshots":
		return has("errors")
	case "articles":
		return has("message", "type")
	case "events":
		return has("message", "documentation_url", "status")
	case "device":
		return has("error", "error_description") || has("error_code")
	case "analytics":
		return has("meta", "error") || has("requestId", "error") || has("error", "error_description") || has("error_code")
	case "apikeys":
		return has("status", "timestamp", "path", "error")
	case "packages":
		return has("code", "message", "details")
	}
	return len(body) > 0
}
