package catalog_test

import (
	"encoding/json"
	"testing"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// TestServed: what is stored for graphs is not served, and a text that looks
// like it is.
func TestServed(t *testing.T) {
	t.Parallel()
	r := catalog.Requirements{Maven: &catalog.MavenRequirements{
		Properties: []catalog.MavenProperty{{Name: "x", Value: `,"install":{`}},
	}}
	want, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if got := catalog.Served(want); string(got) != string(want) {
		t.Errorf("got %s", got)
	}
	r.Install = &catalog.Install{GoVersion: "1.26", OS: []string{`,"install":{`}}
	stored, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if got := catalog.Served(stored); string(got) != string(want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
