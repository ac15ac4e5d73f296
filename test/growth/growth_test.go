package main

import (
	"bytes"
	"os"
	"regexp"
	"slices"
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

// TestPageIsWhatWasMeasured compares the page with the file that it is made of.
func TestPageIsWhatWasMeasured(t *testing.T) {
	t.Parallel()
	r, err := readResults("measured.json", []int64{10_000, 1_000_000, 10_000_000})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds() {
		if !slices.ContainsFunc(r.Kinds, func(g grown) bool { return g.Kind == k.name }) {
			t.Errorf("%s was not measured: make growth GROWTH_ARGS='-only \"^%s$\"'", k.name, k.name)
		}
	}
	text, err := os.ReadFile("../../docs/growth.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != page(r) {
		t.Error("docs/growth.md is not made of measured.json: make growth GROWTH_ARGS='-only ^$' writes it without measuring")
	}
}
