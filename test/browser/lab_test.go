package browser_test

import (
	"net/url"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/lab"
	labserver "stoa.dev/stoa/internal/lab/server"
)

// worldAt is a world of a lab as the helpers of a served one know it.
func worldAt(t *testing.T, w *lab.World) *server {
	t.Helper()
	env, err := w.Env()
	if err != nil {
		t.Fatal(err)
	}
	return &server{t: t, url: w.PrefixURL(), env: env}
}

// TestLabWorlds signs one browser in to two worlds below prefixes of one port, and
// connects a device in the first while it is signed in to the second.
func TestLabWorlds(t *testing.T) {
	t.Parallel()
	s, err := labserver.Open(t.Context(), labserver.Options{
		Dir: t.TempDir(), Listen: "127.0.0.1:0", Config: app.DefaultConfig(), Version: "test", NoDefault: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	var worlds []*server
	for _, name := range []string{"one", "two"} {
		w, err := s.Lab().Create(t.Context(), lab.NewWorld{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		worlds = append(worlds, worldAt(t, w))
	}
	b := newTab(t, screens()[1], worlds[0].url)
	for _, w := range worlds {
		b.url = w.url
		b.open("/console/sign-in?next=/console")
		w.signIn(b)
		b.wantText("Recent requests", w.url)
		b.checkPage("lab-home", 1, 1)
	}
	b.url = worlds[0].url
	approved, code := worlds[0].device()
	b.open("/device?" + url.Values{"user_code": {code}}.Encode())
	b.press("main button")
	b.wantText("Authorize")
	b.press(`button[value="allow"]`)
	if status, object := worlds[0].poll(approved); status != 200 {
		t.Errorf("poll: %d %v", status, object)
	}
	b.open("/docs/reference/tasks")
	b.checkPage("lab-reference", 1, 2)
	if at := evaluate[string](b, "base"); at != worlds[0].url {
		t.Errorf("the page takes %s for the world's address, want %s", at, worlds[0].url)
	}
}
