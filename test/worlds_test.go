package test_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
)

// TestTwoWorlds builds two whole apps in one process, uses both and closes
// both: nothing of one is known in the other, and nothing keeps running. It is
// not parallel, because it counts goroutines.
func TestTwoWorlds(t *testing.T) {
	before := goleak.IgnoreCurrent()
	one, two := openWorld(t, 1), openWorld(t, 2)
	token := issueToken(t, one)
	for name, tc := range map[string]struct {
		world *app.App
		want  int
	}{"its own world": {one, http.StatusOK}, "the other world": {two, http.StatusUnauthorized}} {
		if got := readLimits(t, tc.world, token); got != tc.want {
			t.Errorf("%s: status %d, want %d", name, got, tc.want)
		}
	}
	if got := readLimits(t, two, issueToken(t, two)); got != http.StatusOK {
		t.Errorf("the second world with its own token: status %d, want 200", got)
	}
	if err := one.Close(); err != nil {
		t.Errorf("close the first world: %v", err)
	}
	// The second is untouched by the end of the first.
	if got := readLimits(t, two, issueToken(t, two)); got != http.StatusOK {
		t.Errorf("after the first world ended: status %d, want 200", got)
	}
	if err := two.Close(); err != nil {
		t.Errorf("close the second world: %v", err)
	}
	// The clock of the highlighter's regular expressions is not ours: it ends by
	// itself a second after the last match.
	goleak.VerifyNone(t, before, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

func openWorld(t *testing.T, seed uint64) *app.App {
	t.Helper()
	config := app.DefaultConfig()
	config.Data, config.Listen.HTTP = t.TempDir(), "127.0.0.1:0"
	a, err := app.New(t.Context(), app.Options{
		Config: config, Quiet: true, LogTo: t.Output(), IDs: ids.Seeded(seed),
		Clock: clock.NewVirtual(time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	return a
}

// issueToken adds a user when there is none and issues a token for labels.
func issueToken(t *testing.T, a *app.App) string {
	t.Helper()
	// The second call in one world finds the user; that is not a failure here.
	_, _ = a.RunCommand(t.Context(), "user add",
		map[string][]string{"name": {"ada"}, "password": {"a long enough password"}}, nil)
	made, err := a.RunCommand(t.Context(), "token issue", map[string][]string{"user": {"ada"}, "service": {"labels"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	var out struct{ Token string }
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out.Token
}

func readLimits(t *testing.T, a *app.App, token string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.URL()+"/v2/limits/label?name=limits/label", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode
}
