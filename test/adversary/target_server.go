package adversary

import (
	"net/http"
	"regexp"
	"strings"
)

// Target is a running demo server and how its operations are reached.
type Target struct {
	URL string
	// Env is what demo.env holds.
	Env map[string]string
}

// headers are the credentials of the demo's first user, by service. A service
// that is not listed takes the user's bearer token.
func (t Target) headers(service string) http.Header {
	h := http.Header{}
	switch service {
	case "snapshots":
		h.Set("SVC-API-KEY", t.Env["STOA_API_KEY"])
		h.Set("SVC-APPLICATION-KEY", t.Env["STOA_APP_KEY"])
	case "pipelines":
		h.Set("Pipeline-Token", t.Env["STOA_PIPELINE_TOKEN"])
	case "apikeys":
		h.Set("Authorization", "Bearer "+t.Env["STOA_SCHEDULING_KEY"])
	case "generate":
		h.Set("X-Vendor-Api-Key", t.Env["STOA_MODEL_KEY"])
		h.Set("x-goog-api-key", t.Env["STOA_MODEL_KEY"])
		h.Set("Authorization", "Bearer "+t.Env["STOA_MODEL_KEY"])
	default:
		h.Set("Authorization", "Bearer "+t.Env["STOA_TOKEN"])
	}
	return h
}

// values fill the wildcards of paths with things that the demo has, so that
// attacks come further than "not found". What is not listed becomes "1".
func (t Target) values() map[string]string {
	owner, repo, _ := strings.Cut(t.Env["STOA_REPO"], "/")
	return map[string]string{
		"tasklist": "@default", "calendarId": "primary", "setting": "timezone",
		"owner": owner, "repo": repo, "org": owner, "username": t.Env["STOA_USER"], "user_id": t.Env["STOA_USER"],
		"vcs": "vcs_a", "project": repo, "branch": "main", "build_num": "1",
		"system": "npm", "name": "%40stoa%2Fcolonnade", "version": "1.2.0", "purl": "pkg:npm%2F%40stoa%2Fcolonnade@1.2.0",
		"model": "script", "reaction_name": "thumbsup", "tag_id": "go",
	}
}

var wildcard = regexp.MustCompile(`\{([a-zA-Z_0-9]*)(?:\.\.\.)?\}`)

// path is the operation's path with its wildcards filled.
func (t Target) path(o Operation) string {
	known := t.values()
	return wildcard.ReplaceAllStringFunc(strings.TrimSuffix(o.Pattern, "{$}"), func(w string) string {
		name := strings.TrimSuffix(strings.Trim(w, "{}"), "...")
		if o.Service == "pipelines" && name == "username" {
			return known["owner"]
		}
		if value, ok := known[name]; ok {
			return value
		}
		return "1"
	})
}
