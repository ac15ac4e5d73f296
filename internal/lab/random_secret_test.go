package lab_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/lab"
)

// TestReportedSeedTellsNoSecret: a world that was given no seed reports one, and a world made with that number draws
// other identifiers and secrets. A reset and a sleep go on with its own.
func TestReportedSeedTellsNoSecret(t *testing.T) {
	l := open(t, t.TempDir())
	requestID := func(w *lab.World) string {
		_, header, _ := call(t, w, "GET", listsPath, "")
		return header.Get("X-Request-Id")
	}
	one := create(t, l, lab.NewWorld{Name: "one"})
	seed := one.Info().Seed
	first := requestID(one)
	two := create(t, l, lab.NewWorld{Name: "two", Seed: &seed})
	if again := requestID(two); first == "" || again == first {
		t.Errorf("request ids %q and %q, want two", first, again)
	}
	same := create(t, l, lab.NewWorld{Name: "three", Seed: &seed})
	if a, b := requestID(two), requestID(same); a == "" || a == b {
		t.Errorf("%q and %q: the second of one is the first of the other", a, b)
	}
	if err := one.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again := requestID(one); !strings.EqualFold(again, first) {
		t.Errorf("after a reset %q, want %q", again, first)
	}
}
