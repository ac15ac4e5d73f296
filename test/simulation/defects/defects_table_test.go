package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/test/program"
)

// TestPlaces: every defect can still be planted, in exactly one place.
func TestPlaces(t *testing.T) {
	t.Parallel()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range defects() {
		text, err := os.ReadFile(filepath.Join(root, d.file))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), d.old); n != 1 {
			t.Errorf("%s: %s has %d places for it, want one", d.id, d.file, n)
		}
	}
}
