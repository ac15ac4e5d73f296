package oauthapps

import (
	"slices"
	"strings"
	"testing"
)

// TestScopes: words stand for permissions, and permissions are said in words again.
func TestScopes(t *testing.T) {
	t.Parallel()
	known := func(name string) bool {
		return slices.ContainsFunc(words(), func(w word) bool { return slices.Contains(w.permissions, name) })
	}
	for asked, want := range map[string]string{
		"":                            "",
		"repo":                        "repo",
		"repo,read:org user":          "repo,user,read:org",
		"user:email":                  "user",
		"contents:read metadata:read": "contents:read,metadata:read",
		"admin:repo_hook":             "delete_repo",
		"gist unheard":                "",
	} {
		permissions := requested(asked, known)
		if got := strings.Join(granted(permissions), ","); got != want {
			t.Errorf("%q: %q of %v, want %q", asked, got, permissions, want)
		}
		if len(slices.Compact(slices.Sorted(slices.Values(permissions)))) != len(permissions) {
			t.Errorf("%q: %v has repetitions", asked, permissions)
		}
	}
}
