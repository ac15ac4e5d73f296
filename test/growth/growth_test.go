package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"stoa.dev/stoa/test/program"
)

// TestGrowth grows every kind a little and makes every call, so that a statement or
// a path that no longer fits is found by make test.
func TestGrowth(t *testing.T) {
	t.Parallel()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := options{
		sizes: []int64{600}, only: regexp.MustCompile(""), rounds: 2, starts: 1, folder: t.TempDir(), binary: binary,
	}
	var list [][]measured
	for _, k := range kinds() {
		got, err := o.measureKind(t.Context(), k)
		if err != nil {
			t.Fatalf("%s: %v", k.name, err)
		}
		list = append(list, got)
	}
	if picture, err := plot(o, list); err != nil || !bytes.HasPrefix(picture, []byte("\x89PNG")) {
		t.Errorf("the picture: %d bytes, %v", len(picture), err)
	}
	text := page(o, list)
	for _, k := range kinds() {
		if strings.Count(text, "| "+k.name+" | ") != len(k.calls)+len(o.sizes) {
			t.Errorf("the page does not have every call of %s:\n%s", k.name, text)
		}
	}
}
