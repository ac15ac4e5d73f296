package oauthapps

import (
	"slices"
	"strings"
)

// word is one of the host's older scopes and the permissions it stands for.
type word struct {
	name        string
	permissions []string
}

// words are in the order in which answers list them.
func words() []word {
	content := []string{
		"metadata:read", "contents:read", "contents:write", "issues:read", "issues:write", "pull_requests:read",
		"pull_requests:write", "events:write", "starring:write",
	}
	administration := []string{"administration:write"}
	return []word{
		{"repo", append(slices.Clone(content), administration...)},
		{"delete_repo", administration}, {"admin:repo_hook", administration}, {"write:repo_hook", administration},
		{"user", []string{"events:read"}}, {"read:user", []string{"events:read"}}, {"user:email", []string{"events:read"}},
		{"read:org", []string{"organization_events:read"}},
	}
}

// requested are the permissions that a request's scopes stand for. known says which permissions there are.
func requested(text string, known func(string) bool) []string {
	out := []string{}
	add := func(permission string) {
		if known(permission) && !slices.Contains(out, permission) {
			out = append(out, permission)
		}
	}
	for _, name := range strings.FieldsFunc(text, func(c rune) bool { return c == ' ' || c == ',' || c == '+' }) {
		add(name)
		for _, w := range words() {
			if w.name != name {
				continue
			}
			for _, p := range w.permissions {
				add(p)
			}
		}
	}
	return out
}

// granted writes permissions in the words that they fill, and the rest as they are.
func granted(permissions []string) []string {
	out, said := []string{}, []string{}
	for _, w := range words() {
		if slices.ContainsFunc(w.permissions, func(p string) bool { return !slices.Contains(permissions, p) }) {
			continue
		}
		// A word that says nothing new is not said.
		if !slices.ContainsFunc(w.permissions, func(p string) bool { return !slices.Contains(said, p) }) {
			continue
		}
		out, said = append(out, w.name), append(said, w.permissions...)
	}
	for _, p := range permissions {
		if !slices.Contains(said, p) {
			out = append(out, p)
		}
	}
	return out
}
