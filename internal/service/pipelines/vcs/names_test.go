package vcs_test

import (
	"testing"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/service/pipelines/vcs"
)

func TestNames(t *testing.T) {
	t.Parallel()
	words, err := dialect.Load(dialect.Neutral)
	if err != nil {
		t.Fatal(err)
	}
	const base = "http://stoa.test"
	n := vcs.New(words)
	r := forge.Repository{Name: "stoa", Owner: forge.Owner{Name: "ada"}}
	for _, tc := range []struct{ name, got, want string }{
		{"repository", n.RepoURL(base, r, vcs.B), "http://stoa.test/git/ada/stoa"},
		{"project page", n.PagePath(r, vcs.B), "/vcs_b/ada/stoa"},
		{"job page", n.BuildPath(r, vcs.A, 7), "/vcs_a/ada/stoa/7"},
		{"job in the API", n.APIURL(base, r, vcs.B, 7), "http://stoa.test/api/v1.1/project/vcs_b/ada/stoa/7"},
		{"artifact", vcs.ArtifactPath(2, "a b+c/ü.txt"), "/artifacts/2/a%20b%2Bc/%C3%BC.txt"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.name, tc.got, tc.want)
		}
	}
	if k, ok := n.Parse("vcs_b"); !ok || k != vcs.B {
		t.Errorf("vcs_b is %v, %v", k, ok)
	}
	if _, ok := n.ParseShort("vcs_c"); ok {
		t.Error("vcs_c is a system")
	}
}
