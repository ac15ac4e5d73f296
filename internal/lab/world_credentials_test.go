package lab_test

import (
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/platform/clock"
)

// TestWhoseCredentialsAreTheSame holds what docs/lab-worlds.md says: without a seed the credentials that a world begins
// with are random, one set for each beginning in a lab; with one they are the same in every lab and for every seed.
func TestWhoseCredentialsAreTheSame(t *testing.T) {
	one, two := openWithoutCache(t), openWithoutCache(t)
	march, april := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), time.Date(2026, 4, 1, 9, 0, 0, 0, time.UTC)
	seven, eight := uint64(7), uint64(8)
	token := func(l *lab.Lab, seed *uint64, at *time.Time) string {
		n := lab.NewWorld{
			From: lab.FromEmpty, Seed: seed,
			SeedFile: "users:\n- {name: mary, password: correct horse battery, tokens: [{variable: MARY_TOKEN}]}\n",
		}
		if at != nil {
			n.Clock = lab.ClockChange{Mode: clock.ModeFrozen, Now: at}
		}
		return variables(t, create(t, l, n))["MARY_TOKEN"]
	}
	plain, seeded, dated := token(one, nil, nil), token(one, &seven, nil), token(one, nil, &march)
	for _, c := range []struct {
		what      string
		got, than string
		same      bool
	}{
		{"two worlds alike", token(one, nil, nil), plain, true},
		{"two worlds of one date", token(one, nil, &march), dated, true},
		{"a date and none", dated, plain, false},
		{"two dates", token(one, nil, &april), dated, false},
		{"another lab", token(two, nil, nil), plain, false},
		{"another seed", token(one, &eight, nil), seeded, true},
		{"a seed with a date", token(one, &seven, &march), seeded, true},
		{"a seed in another lab", token(two, &eight, nil), seeded, true},
		{"a seed and none", seeded, plain, false},
	} {
		if c.got == "" || (c.got == c.than) != c.same {
			t.Errorf("%s: %q and %q, want the same: %t", c.what, c.got, c.than, c.same)
		}
	}
}

// openWithoutCache opens a lab that takes no world from what another one made.
func openWithoutCache(t *testing.T) *lab.Lab {
	t.Helper()
	l, err := lab.Open(t.Context(), lab.Options{Dir: t.TempDir(), Config: app.DefaultConfig(), Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("close the lab: %v", err)
		}
	})
	return l
}

// TestImportKeepsVariables: an imported world has every variable of the one that was exported.
func TestImportKeepsVariables(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	w := create(t, l, lab.NewWorld{})
	file, err := w.Export(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	imported, err := l.Import(t.Context(), lab.NewWorld{}, file)
	if err != nil {
		t.Fatal(err)
	}
	got := variables(t, imported)
	for name := range variables(t, w) {
		if got[name] == "" {
			t.Errorf("%s is lost", name)
		}
	}
}
