package lab_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/lab"
)

// TestSettingsAtWake: a world that an earlier version made with settings that are the operator's is not opened, nor is
// one that is made of it, and the others are.
func TestSettingsAtWake(t *testing.T) {
	dir := t.TempDir()
	before, err := lab.Open(t.Context(), lab.Options{
		Dir: dir, Config: app.DefaultConfig(), Version: "test", Cache: templates,
	})
	if err != nil {
		t.Fatal(err)
	}
	create(t, before, lab.NewWorld{Name: "old", From: lab.FromEmpty})
	create(t, before, lab.NewWorld{Name: "other", From: lab.FromEmpty, Config: []byte(`{"generate":{"any_model":true}}`)})
	if err := before.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "worlds", "old", "world.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	loose := strings.Replace(string(text), "{", `{"config":{"pipelines":{"executor":"host"}},`, 1)
	if err := os.WriteFile(file, []byte(loose), 0o600); err != nil {
		t.Fatal(err)
	}

	l := open(t, dir)
	old, err := l.World("old")
	if err != nil {
		t.Fatal(err)
	}
	_, forked := old.Fork(t.Context(), "fork", 0)
	for what, err := range map[string]error{
		"wake": old.Wake(t.Context()), "reset": old.Reset(t.Context()), "fork": forked,
	} {
		var refused *lab.Error
		if !errors.As(err, &refused) || !strings.Contains(refused.Message, "pipelines.executor is the operator's") ||
			!strings.Contains(refused.Next, "world.json") {
			t.Errorf("%s: %v, want a refusal of the setting", what, err)
		}
	}
	if status, _, text := call(t, old, "GET", "/healthz", ""); status != http.StatusServiceUnavailable ||
		!strings.Contains(text, "pipelines.executor is the operator's") {
		t.Errorf("a request: %d %s", status, text)
	}
	other, err := l.World("other")
	if err == nil {
		err = other.Wake(t.Context())
	}
	if err != nil {
		t.Errorf("a world with settings of its own: %v", err)
	}
}
