package web

import (
	"encoding/xml"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// A line of a feed is XML with one element, whatever a project is called.
func FuzzFeedLine(f *testing.F) {
	fuzztest.Strings(f, "ada/stoa", `"/><x y="`, "\x00\xff", "]]>")
	f.Fuzz(func(t *testing.T, name string) {
		line, err := xml.Marshal(newCCProject(name, name, nil))
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		var back ccProject
		if err := xml.Unmarshal(line, &back); err != nil || back.Activity != "Sleeping" {
			t.Errorf("%q: got %s, %v", name, line, err)
		}
	})
}
