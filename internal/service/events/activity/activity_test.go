package activity_test

import (
	"encoding/json"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/events/activity"
)

// TestPush: the facts of a push become a payload with links.
func TestPush(t *testing.T) {
	t.Parallel()
	kind, facts := activity.Describe(forge.Activity{
		Kind: forge.Pushed, Repository: forge.Repository{ID: 3},
		Push: &forge.Push{ID: 9, Ref: "refs/heads/main", Size: 1, Commits: []forge.Commit{{SHA: "abc"}}},
	})
	raw, err := json.Marshal(facts)
	if err != nil {
		t.Fatal(err)
	}
	got, err := activity.Payload(kind, raw, "http://x", "ada/stoa")
	if err != nil || kind != activity.TypePush {
		t.Fatalf("%s: %v", kind, err)
	}
	for _, want := range []string{`"push_id":9`, `"repository_id":3`, `"url":"http://x/repos/ada/stoa/commits/abc"`} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if kind, _ := activity.Describe(forge.Activity{Kind: forge.RepositoryRenamed}); kind != "" {
		t.Errorf("a rename is a %s", kind)
	}
}

// TestMember: who was added is told as the API's user.
func TestMember(t *testing.T) {
	t.Parallel()
	kind, facts := activity.Describe(forge.Activity{
		Kind: forge.MemberAdded, Repository: forge.Repository{ID: 3}, Member: forge.Actor{ID: 5, Name: "grace"},
	})
	raw, err := json.Marshal(facts)
	if err != nil {
		t.Fatal(err)
	}
	got, err := activity.Payload(kind, raw, "http://x", "ada/stoa")
	if err != nil || kind != activity.TypeMember {
		t.Fatalf("%s: %v", kind, err)
	}
	for _, want := range []string{`"action":"added"`, `"login":"grace"`, `"id":5`} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}
