package seedfile_test

import (
	"reflect"
	"testing"
	"time"

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

// What a seed file said is written as it was; what came from elsewhere is not.
func TestAppend(t *testing.T) {
	t.Parallel()
	published := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	in := seedfile.Package{System: "NPM", Name: "a", Latest: "1.0.0", Versions: []seedfile.Version{
		{Version: "0.9.0", Deprecated: true},
		{
			Version: "1.0.0", Published: &published, Licenses: []string{"MIT"}, Home: "https://example.com/",
			Requires: map[string]string{"b": "^1.0.0"},
		},
	}}
	p, err := in.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	if out := seedfile.Append(nil, p); !reflect.DeepEqual(out, []seedfile.Package{in}) {
		t.Errorf("got %+v, want %+v", out, in)
	}
	p.Versions[0].Upstream = nil
	if out := seedfile.Append(nil, p); out != nil {
		t.Errorf("what came from a registry is written: %+v", out)
	}
}
