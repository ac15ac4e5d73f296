package discussions_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/events/discussions"
)

const patch = "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n@@ -10,1 +10,2 @@\n x\n+y"

// TestLocate: positions count the lines below the first header, on both sides.
func TestLocate(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		line int64
		left bool
		want int64
		last string
	}{
		"context": {1, false, 1, " a"}, "added": {2, false, 3, "+B"}, "removed": {2, true, 2, "-b"},
		"second hunk": {11, false, 7, "+y"}, "not there": {5, false, 0, ""}, "zero": {0, false, 0, ""},
		"only on the right": {11, true, 0, ""},
	} {
		got, hunk := discussions.Locate(patch, row.line, row.left)
		if got != row.want || !strings.HasSuffix(hunk, row.last) {
			t.Errorf("%s: %d %q, want %d and %q", name, got, hunk, row.want, row.last)
		}
	}
}

// FuzzLocate: whatever a difference looks like, a found line is inside of it.
func FuzzLocate(f *testing.F) {
	f.Add(patch, int64(2), true)
	f.Add("@@ -x +y @@\n+", int64(1), false)
	f.Fuzz(func(t *testing.T, text string, line int64, left bool) {
		position, hunk := discussions.Locate(text, line, left)
		if position < 0 || position > int64(strings.Count(text, "\n")) || position == 0 && hunk != "" {
			t.Errorf("position %d, hunk %q", position, hunk)
		}
	})
}

// TestPayload: an event about a pull request names both branches.
func TestPayload(t *testing.T) {
	t.Parallel()
	facts := `{"Action":"opened","Issue":{"ID":5,"Number":2,"Pull":{"BaseRef":"main","HeadRef":"x","HeadSHA":"abc"}}}`
	at := discussions.Place{Base: "http://x", Repo: "ada/stoa", RepoID: 3}
	got, err := discussions.Payload(discussions.TypePull, []byte(facts), at)
	want := `"head":{"ref":"x","sha":"abc","repo":{"id":3,"url":"http://x/repos/ada/stoa","name":"stoa"}}`
	if err != nil || !strings.Contains(string(got), want) {
		t.Errorf("%s (%v), want %s", got, err, want)
	}
}
