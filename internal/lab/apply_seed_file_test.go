package lab_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/platform/clock"
)

const seedText = `users:
- {name: mary, password: correct horse battery, tokens: [{variable: MARY_TOKEN}]}
taskLists:
- {user: mary, title: Opening}
- {user: ada, title: Closing}
`

// A world is created with what a seed file says, from whatever it is created from, and goes back
// there.
func TestSeedFile(t *testing.T) {
	l := open(t, t.TempDir())
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	seed := uint64(7)
	options := lab.NewWorld{SeedFile: seedText, Seed: &seed, Clock: lab.ClockChange{Mode: clock.ModeFrozen, Now: &at}}
	begin := clock.Real().Now()
	first := create(t, l, options)
	t.Logf("the first world took %v", clock.Real().Now().Sub(begin))
	begin = clock.Real().Now()
	second := create(t, l, options)
	t.Logf("the second took %v", clock.Real().Now().Sub(begin))
	env, token := variables(t, first), variables(t, second)["MARY_TOKEN"]
	if env["MARY_TOKEN"] == "" || env["MARY_TOKEN"] != token || env["STOA_TOKEN"] == "" {
		t.Errorf("the variables are %v, the second token is %q", env, token)
	}
	if !hasList(t, first, "Closing") {
		t.Error("the demo's user has no list of the file")
	}
	addList(t, first, "Between")
	if err := first.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !hasList(t, first, "Closing") || hasList(t, first, "Between") {
		t.Error("reset does not go back to what the file says")
	}
	if plain := create(t, l, lab.NewWorld{Seed: &seed}); hasList(t, plain, "Closing") {
		t.Error("a world without a file has what it says")
	}
	if _, err := first.Save(t.Context(), "saved"); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{"snapshot:saved", "world:" + first.Name(), lab.FromEmpty} {
		more := strings.NewReplacer("mary", "bob", "MARY", "BOB", "ada", "bob", "Closing", "Late").Replace(seedText)
		w := create(t, l, lab.NewWorld{From: from, SeedFile: more})
		got := variables(t, w)
		if got["BOB_TOKEN"] == "" || (got["MARY_TOKEN"] == "") != (from == lab.FromEmpty) {
			t.Errorf("%s: the variables are %v", from, got)
		}
	}
}

func variables(t *testing.T, w *lab.World) map[string]string {
	t.Helper()
	env, err := w.Env()
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// A refusal names line and column, and leaves nothing.
func TestSeedFileRefused(t *testing.T) {
	l := open(t, t.TempDir())
	for text, want := range map[string]string{
		"taskLists:\n- {user: ada, tilte: x}\n":                     "seedFile:2:15: taskLists[0]: \"tilte\"",
		"taskLists:\n- {user: missing, title: x}\n":                 "seedFile:2:10: taskLists[0].user: ",
		"users:\n- {name: eve, tokens: [{variable: STOA_TOKEN}]}\n": "there is a variable STOA_TOKEN already",
		"users:\n- {name: eve, tokens: [{variable: STOA_URL}]}\n":   "there is a variable STOA_URL already",
		"repositories:\n- {owner: ada, name: x, folder: site}\n":    "repositories[0].folder: folders",
		"users: " + strings.Repeat("[", 2000):                       "seedFile:1:1: more than",
	} {
		_, err := l.Create(t.Context(), lab.NewWorld{SeedFile: text})
		var refused *lab.Error
		if !errors.As(err, &refused) || refused.Code != lab.CodeInvalid || !strings.Contains(refused.Message, want) {
			t.Errorf("%.60q: got %v, want %q", text, err, want)
		}
	}
	if n := len(l.Worlds()); n != 0 {
		t.Errorf("%d worlds are left", n)
	}
}
