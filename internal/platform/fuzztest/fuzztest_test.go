package fuzztest

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// The seeds come first, the rest is new, bounded and the same in every run.
func TestGrow(t *testing.T) {
	t.Parallel()
	seeds := [][]byte{[]byte(`{"a":1}`), {}, []byte(strings.Repeat("x", maxSeed+1))}
	first, second := grow(seeds), grow(seeds)
	if want := len(seeds) + 2*Mutations; len(first) != want {
		t.Fatalf("got %d inputs, want %d", len(first), want)
	}
	if !slices.EqualFunc(first, second, bytes.Equal) {
		t.Error("two runs gave different inputs")
	}
	if string(seeds[0]) != `{"a":1}` || string(first[0]) != `{"a":1}` {
		t.Errorf("the seed was changed: %q, %q", seeds[0], first[0])
	}
	different := 0
	for _, b := range first[len(seeds):] {
		if !bytes.Equal(b, seeds[0]) && !bytes.Equal(b, seeds[1]) {
			different++
		}
	}
	if different < Mutations {
		t.Errorf("only %d inputs differ from the seeds", different)
	}
}

func FuzzBoth(f *testing.F) {
	Strings(f, "a", "b")
	f.Fuzz(func(_ *testing.T, _ string) {})
}

func FuzzBytes(f *testing.F) {
	Bytes(f, []byte("a"))
	f.Fuzz(func(_ *testing.T, _ []byte) {})
}
