package objects_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/events/objects"
)

const sha = "7c84c54c6ea379d65610537b21e8413a21a8b29b"

func sample() forge.Repository {
	return forge.Repository{
		ID: 7, Owner: forge.Owner{Kind: forge.OwnerOrg, ID: 1, Name: "lyceum"}, Name: "porch", DefaultBranch: "main",
		CreatedAt: time.Date(2026, 3, 4, 5, 6, 7, 8, time.UTC),
	}
}

// TestAddresses: operations keep the prefix, pages and git have none.
func TestAddresses(t *testing.T) {
	t.Parallel()
	const base = "http://stoa.test/api/v3"
	r := objects.NewRepo(sample(), base)
	address := objects.AddressOf(sample(), base)
	for got, want := range map[string]string{
		r.URL:                            base + "/repos/lyceum/porch",
		r.TreesURL:                       base + "/repos/lyceum/porch/git/trees{/sha}",
		r.Owner.URL:                      base + "/users/lyceum",
		r.HTMLURL:                        "http://stoa.test/lyceum/porch",
		r.CloneURL:                       "http://stoa.test/git/lyceum/porch.git",
		r.CreatedAt:                      "2026-03-04T05:06:07Z",
		address.Raw(sha, "a b/[x]?.txt"): base + "/raw/lyceum/porch/" + sha + "/a%20b/%5Bx%5D%3F.txt",
		address.Contents("a/b", "x&y"):   base + "/repos/lyceum/porch/contents/a/b?ref=x%26y",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if r.Owner.Type != "Organization" || r.MergesURL != nil || r.PushedAt != nil {
		t.Errorf("got %+v", r)
	}
}

// TestAvatars: users and organizations of one number look different.
func TestAvatars(t *testing.T) {
	t.Parallel()
	if objects.Avatar("", "User", 1) == objects.Avatar("", "Organization", 1) {
		t.Error("a user and an organization have one address")
	}
	if objects.DrawAvatar("", 1) == objects.DrawAvatar("org ", 1) {
		t.Error("a user and an organization have one picture")
	}
}

// TestContents: each kind of entry has the addresses that it can have.
func TestContents(t *testing.T) {
	t.Parallel()
	v := objects.ContentView{Address: objects.AddressOf(sample(), "http://stoa.test"), Ref: "main", Commit: sha}
	for _, c := range []struct {
		entry     forge.Entry
		kind      string
		git, load bool
	}{
		{forge.Entry{Mode: "100644", Type: "blob", Path: "a"}, "file", true, true},
		{forge.Entry{Mode: "040000", Type: "tree", Path: "a"}, "dir", true, false},
		{forge.Entry{Mode: "120000", Type: "blob", Path: "a"}, "symlink", true, true},
		{forge.Entry{Mode: "160000", Type: "commit", Path: "a"}, "submodule", false, false},
	} {
		got := v.Content(c.entry)
		if got.Type != c.kind || (got.GitURL != nil) != c.git || (got.DownloadURL != nil) != c.load {
			t.Errorf("%s: got %+v", c.kind, got)
		}
	}
	text := strings.Repeat("stoa ", 50)
	lines := objects.EncodeLines([]byte(text))
	plain, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(lines, "\n", ""))
	if err != nil || string(plain) != text || strings.Index(lines, "\n") != 60 || objects.EncodeLines(nil) != "" {
		t.Errorf("lines: %q %v", lines, err)
	}
	for name, want := range map[string]string{"a/b.GO": "Go", "Makefile": "Makefile", "x.tsx": "TypeScript", "x": ""} {
		if got := objects.LanguageOf(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// TestComparison: the words for how two revisions relate, and the sum of changes.
func TestComparison(t *testing.T) {
	t.Parallel()
	a := objects.AddressOf(sample(), "http://stoa.test")
	for _, c := range []struct {
		ahead, behind int64
		want          string
	}{{0, 0, "identical"}, {1, 0, "ahead"}, {0, 1, "behind"}, {2, 3, "diverged"}} {
		got := a.Comparison("a...b", forge.Comparison{Ahead: c.ahead, Behind: c.behind}, nil, nil)
		if got.Status != c.want || got.TotalCommits != c.ahead {
			t.Errorf("%d ahead, %d behind: got %+v", c.ahead, c.behind, got)
		}
	}
	full := a.FullCommit(forge.Commit{SHA: sha, Parents: []string{"p"}}, []forge.FileChange{
		{Status: "removed", Path: "gone", Deletions: 2}, {Status: "added", Path: "new", Additions: 3},
	})
	if full.Stats.Total != 5 || !strings.Contains(full.Files[0].RawURL, "/p/gone") ||
		!strings.Contains(full.Files[1].RawURL, "/"+sha+"/new") {
		t.Errorf("got %+v", full)
	}
	if b, err := json.Marshal(full); err != nil || !strings.Contains(string(b), `"author":null`) {
		t.Errorf("%s: %v", b, err)
	}
}
