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
	demo, err := o.demo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := results{Sizes: o.sizes}
	for i, k := range kinds() {
		o.sizes = r.Sizes
		if i == 0 {
			o.sizes = []int64{600, 700} // a larger world is made of a smaller in the same way for all
		}
		got, err := o.measureKind(t.Context(), demo, k)
		if err != nil {
			t.Fatalf("%s: %v", k.name, err)
		}
		got.Sizes = got.Sizes[:len(r.Sizes)]
		r.put(got)
	}
	if picture, err := plot(r); err != nil || !bytes.HasPrefix(picture, []byte("\x89PNG")) {
		t.Errorf("the picture: %d bytes, %v", len(picture), err)
	}
	text := page(r)
	for _, k := range kinds() {
		if strings.Count(text, "| "+k.name+" | ") != len(k.calls)+len(r.Sizes)+1 {
			t.Errorf("the page does not have every call of %s:\n%s", k.name, text)
		}
	}
}
