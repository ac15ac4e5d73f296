package seedfile_test

import (
	"testing"

	"stoa.dev/stoa/internal/service/packages/seedfile"
)

func TestCatalog(t *testing.T) {
	t.Parallel()
	version := seedfile.Version{Version: "1.0.0", Licenses: []string{"MIT"}, Requires: map[string]string{"b": "^1.0.0"}}
	p, err := seedfile.Package{System: "NPM", Name: "a", Versions: []seedfile.Version{version}}.Catalog()
	if err != nil || len(p.Versions) != 1 || p.Versions[0].Requires.NPM.Dependencies.Dependencies[0].Name != "b" {
		t.Errorf("got %+v, %v", p, err)
	}
	other := seedfile.Package{System: "GO", Name: "x.y/z", Versions: []seedfile.Version{version}}
	if _, err := other.Catalog(); err == nil {
		t.Error("requirements of a Go module are accepted and would be lost")
	}
	if len(seedfile.Demo()) == 0 {
		t.Error("the demo has no packages")
	}
}
