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

// A seed up to a kilobyte gets all mutations, a larger one as many as its share of
// bytes allows, and none too few.
func TestMutationsOf(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]int{0: 64, 1: 64, 1 << 10: 64, 2 << 10: 32, 8 << 10: 8, maxSeed: 8} {
		if got := mutationsOf(size); got != want {
			t.Errorf("%d bytes: %d mutations, want %d", size, got, want)
		}
	}
}

// One argument differs at a time, those that are no text never.
func TestGrowArguments(t *testing.T) {
	t.Parallel()
	seed := []any{"abc", 7, []byte("def")}
	list := growArguments(seed)
	if len(list) != 1+Mutations {
		t.Fatalf("got %d inputs, want %d", len(list), 1+Mutations)
	}
	texts, raw := 0, 0
	for _, args := range list {
		text, bytes := args[0].(string) != "abc", string(args[2].([]byte)) != "def"
		if args[1] != 7 || text && bytes {
			t.Errorf("got %q", args)
		}
		if text {
			texts++
		}
		if bytes {
			raw++
		}
	}
	if texts < Mutations/4 || raw < Mutations/4 {
		t.Errorf("%d texts and %d byte slices differ, want at least %d", texts, raw, Mutations/4)
	}
	if got := growArguments([]any{1, true}); len(got) != 1 {
		t.Errorf("got %d inputs of numbers, want the seed", len(got))
	}
}

func FuzzAdd(f *testing.F) {
	Add(f, "a", []byte("b"), 1)
	f.Fuzz(func(_ *testing.T, _ string, _ []byte, _ int) {})
}

func FuzzBoth(f *testing.F) {
	Strings(f, "a", "b")
	f.Fuzz(func(_ *testing.T, _ string) {})
}

func FuzzBytes(f *testing.F) {
	Bytes(f, []byte("a"))
	f.Fuzz(func(_ *testing.T, _ []byte) {})
}
