package app_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
)

// trail are the entries of "audit list", oldest first, each as "actor action object".
func trail(t *testing.T, a *app.App, filter map[string][]string) []string {
	t.Helper()
	result, err := a.RunCommand(t.Context(), "audit list", filter, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var listed struct {
		Entries []struct{ Actor, Action, Object, Outcome, Credential string }
	}
	if err := json.Unmarshal(text, &listed); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for n := len(listed.Entries) - 1; n >= 0; n-- {
		e := listed.Entries[n]
		lines = append(lines, strings.Join([]string{e.Actor, e.Action, e.Object, e.Outcome}, " "))
	}
	return lines
}

// TestCommandsOnRecord: commands that change something are in the audit trail once, in
// their own words where there are some, and commands that only look are not.
func TestCommandsOnRecord(t *testing.T) {
	t.Parallel()
	a := start(t, config(t), true)
	operator := map[string][]string{"actor": {"operator"}}
	for _, row := range []struct {
		path   string
		values map[string][]string
	}{
		{"user list", nil},
		{"token list", map[string][]string{"user": {"ada"}}},
		{"org list", nil},
		{"jobs list", nil},
		{"jobs schedules", nil},
		{"deliveries list", nil},
		{"kms keys", nil},
		{"packages status", nil},
		{"grant list", nil},
		{"check", nil},
	} {
		if _, err := a.RunCommand(t.Context(), row.path, row.values, nil); err != nil {
			t.Errorf("%s: %v", row.path, err)
		}
	}
	if got := trail(t, a, operator); len(got) > 0 {
		t.Errorf("commands that look are on record: %v", got)
	}
	folder := filepath.Join(t.TempDir(), "copy")
	for _, row := range []struct {
		path   string
		values map[string][]string
	}{
		{"user add", map[string][]string{"name": {"zeno"}, "password": {"a secret of zeno"}}},
		{"author set", map[string][]string{"user": {"zeno"}, "location": {"Athens"}}},
		{"kms rotate", nil},
		{"backup", map[string][]string{"folder": {folder}}},
	} {
		if _, err := a.RunCommand(t.Context(), row.path, row.values, nil); err != nil {
			t.Errorf("%s: %v", row.path, err)
		}
	}
	got := strings.Join(trail(t, a, operator), "\n")
	want := "operator user.add zeno done\noperator author.set zeno done\noperator kms.rotate  done\n" +
		"operator backup.make " + folder + " begun\noperator backup.make " + folder + " done"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := trail(t, a, map[string][]string{"action": {"user.add"}, "actor": {"server"}}); len(got) == 0 {
		t.Error("the users of the demo world are not on record")
	}
}
