package refusal_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/forge/refusal"
)

func TestPush(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"it needs the scope contents:write":            refusal.Push("a/b", "carl", "contents:write", false),
		"repo member a/b carl --permission write":      refusal.Push("a/b", "carl", "contents:write", true),
		"repo member a/b USER --permission write":      refusal.Push("a/b", "", "contents:write", true),
		"the token's owner may not push to a/b: write": refusal.Push("a/b", "", "contents:write", true),
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
