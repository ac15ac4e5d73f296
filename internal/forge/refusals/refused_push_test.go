package refusals_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/forge/refusals"
)

func TestPush(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"it needs the scope contents:write":            refusals.Push("a/b", "carl", "contents:write", false),
		"repo member a/b carl --permission write":      refusals.Push("a/b", "carl", "contents:write", true),
		"repo member a/b USER --permission write":      refusals.Push("a/b", "", "contents:write", true),
		"the token's owner may not push to a/b: write": refusals.Push("a/b", "", "contents:write", true),
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
