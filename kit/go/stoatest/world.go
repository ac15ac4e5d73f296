package stoatest

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestWorld is a world of one test.
type TestWorld struct {
	// Name is unique in the lab.
	Name string
	// URL is the world's own address, PrefixURL the one below the lab's port, and
	// HTTPSURL speaks TLS with a certificate of the authority in CAFile.
	URL, PrefixURL, HTTPSURL, CAFile string
	// KMSSocket is the path of the key-management plugin.
	KMSSocket string
	// Seed makes the same world again.
	Seed uint64
	// Env holds the variables of the demo, such as STOA_URL and STOA_TOKEN: what the
	// clients of the services are configured with.
	Env map[string]string

	// Clock, Faults and Requests are the world's.
	Clock    *Clock
	Faults   *Faults
	Requests *Requests

	t   testing.TB
	lab *lab
}

// Option changes how a world is born.
type Option func(*birth)

type birth struct {
	Name    string         `json:"name,omitempty"`
	From    string         `json:"from,omitempty"`
	Clock   *clockJSON     `json:"clock,omitempty"`
	Seed    *uint64        `json:"seed,omitempty"`
	Dialect string         `json:"dialect,omitempty"`
	Config  map[string]any `json:"config,omitempty"`
	// SeedFile is the text.
	SeedFile string `json:"seedFile,omitempty"`

	err error
}

// From names what the world begins as: "demo" (the default), "empty",
// "snapshot:NAME" or "world:NAME".
func From(birthplace string) Option { return func(b *birth) { b.From = birthplace } }

// At freezes the clock at a time in RFC 3339.
func At(now string) Option {
	return func(b *birth) {
		b.Clock, b.err = &clockJSON{Mode: "frozen", Now: now}, checkTime("At", now)
	}
}

// Seed makes credentials, identifiers and bytes the same in every run.
func Seed(n uint64) Option { return func(b *birth) { b.Seed = &n } }

// Dialect chooses how the services spell what the contract leaves open: "sdk", the
// default, or "neutral".
func Dialect(name string) Option { return func(b *birth) { b.Dialect = name } }

// Config are settings as in the configuration file, nested by their dots.
func Config(settings map[string]any) Option { return func(b *birth) { b.Config = settings } }

// SeedFile adds what a seed file says: users, task lists, repositories and more. Tokens
// that it issues are in Env. Instead of a folder it has files.
func SeedFile(name string) Option {
	return func(b *birth) {
		text, err := os.ReadFile(name)
		b.SeedFile, b.err = string(text), err
	}
}

// SeedText is SeedFile for the text itself.
func SeedText(text string) Option { return func(b *birth) { b.SeedFile = text } }

// World makes a world for the test and deletes it when the test ends.
func World(t testing.TB, options ...Option) *TestWorld {
	t.Helper()
	l, err := theLab()
	if err != nil {
		t.Fatalf("stoatest: %v", err)
	}
	var b birth
	for _, o := range options {
		if o(&b); b.err != nil {
			t.Fatalf("stoatest: %v", b.err)
		}
	}
	return open(t, l, "/worlds", b)
}

// Fork makes a second world that begins as this one is now.
func (w *TestWorld) Fork() *TestWorld {
	w.t.Helper()
	return open(w.t, w.lab, w.path("/fork"), struct{}{})
}

// Reset takes the world back to its birth; its address stays.
func (w *TestWorld) Reset() {
	w.t.Helper()
	w.call("POST", "/reset", struct{}{}, nil)
}

// Save keeps the world as it is now; From("snapshot:NAME") begins there.
func (w *TestWorld) Save(name string) {
	w.t.Helper()
	w.call("POST", "/snapshots", map[string]string{"name": name}, nil)
}

func open(t testing.TB, l *lab, path string, in any) *TestWorld {
	t.Helper()
	w := &TestWorld{t: t, lab: l}
	if err := l.call(t.Context(), "POST", path, in, w); err != nil {
		t.Fatalf("stoatest: make a world: %v", err)
	}
	w.Clock, w.Faults, w.Requests = &Clock{w}, &Faults{w}, &Requests{w}
	w.reachByLab()
	t.Cleanup(func() {
		// The test's context has ended by now.
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := w.writeReport(ctx); err != nil {
			t.Errorf("stoatest: report on %s: %v", w.Name, err)
		}
		if err := l.call(ctx, "DELETE", w.path(""), nil, nil); err != nil {
			t.Errorf("stoatest: delete world %s: %v", w.Name, err)
		}
	})
	return w
}

func (w *TestWorld) path(rest string) string { return "/worlds/" + url.PathEscape(w.Name) + rest }

// call fails the test with what the lab refused.
func (w *TestWorld) call(method, rest string, in, out any) {
	w.t.Helper()
	if err := w.lab.call(w.t.Context(), method, w.path(rest), in, out); err != nil {
		w.t.Fatalf("stoatest: %v", err)
	}
}

// reachByLab has the world answer below the lab's own address where that is not what
// the lab itself calls it, or the lab listens everywhere: then the lab is in a container
// or behind a proxy, and the world's port cannot be reached from here.
func (w *TestWorld) reachByLab() {
	prefix, err := url.Parse(w.PrefixURL)
	here, failed := url.Parse(w.lab.url)
	if err != nil || failed != nil || prefix.Host == here.Host && prefix.Hostname() != "localhost" {
		return
	}
	w.PrefixURL = w.lab.url + "/w/" + url.PathEscape(w.Name)
	w.URL = w.PrefixURL
	if w.Env == nil {
		w.Env = map[string]string{}
	}
	w.Env["STOA_URL"] = w.URL
}

// writeReport keeps the report on the client's conduct in the folder that
// STOA_CONDUCT_REPORTS names, for CI.
func (w *TestWorld) writeReport(ctx context.Context) error {
	dir := os.Getenv("STOA_CONDUCT_REPORTS")
	if dir == "" {
		return nil
	}
	var text string
	if err := w.lab.call(ctx, "GET", w.path("/conduct?format=sarif"), nil, &text); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, w.Name+".sarif"), []byte(text), 0o644)
}
