package conformance

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/faultrule"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/world"
)

// Server is one running app with its own data folder, database and clock. What
// a test does to it, it does over HTTP or with operator commands.
type Server struct {
	URL string
	// HTTPS is empty unless Configure asked for the listener.
	HTTPS string
	Clock *clock.Virtual
	app   *app.App
	// browsers are those of SignedIn, by name and host.
	browsers map[string]*Browser
	observer *Observer
	// transcript keeps the answers where they are compared with another server's.
	transcript *transcript
	links      *links
	// faults are what requests meet before they are made in earnest, by rules; nil for
	// none.
	faults *Faults
	rules  *faultrule.Set
}

// Options change how a server is built.
type Options struct {
	// Configure changes the configuration before the start.
	Configure func(*app.Config)
	// Unobserved answers are not held against docs/openapi, and their addresses are not
	// followed: requests that are made up meet answers that no client of the contract does.
	Unobserved bool
	// AroundStore stands around every call of the database.
	AroundStore func(ctx context.Context, call database.Call, run func() error) error
	// Faults make requests fail before they are sent in earnest; nil means those of
	// the whole suite, if it is run under faults.
	Faults *Faults
	// Log receives the whole log; nil means warnings only, to the test.
	Log io.Writer
}

// On runs rows against a server on SQLite and one on PostgreSQL. Rows that move
// the clock or fill a limit take a server of their own.
func On(t *testing.T, rows func(t *testing.T, open func(t *testing.T, o Options) *Server)) {
	t.Helper()
	if twice() {
		Twice(t, rows)
		return
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		rows(t, func(t *testing.T, o Options) *Server { return open(t, "", o) })
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		// Asked for here, so that a machine without PostgreSQL skips (or, in
		// CI, fails) once and before the first row.
		databasetest.PostgresURL(t)
		rows(t, func(t *testing.T, o Options) *Server {
			return open(t, databasetest.PostgresURL(t, migrations()...), o)
		})
	})
}

// Start starts one on SQLite, for tests whose answers no engine changes.
func Start(t *testing.T, o Options) *Server {
	t.Helper()
	return open(t, "", o)
}

// migrations are those of everything, in the order in which an app applies them.
var migrations = sync.OnceValue(func() []database.Migrations {
	sets := append(world.Migrations(), identity.Migrations())
	for _, m := range app.Tables() {
		if m.Migrations.Files != nil {
			sets = append(sets, m.Migrations)
		}
	}
	return sets
})

func open(t *testing.T, databaseURL string, o Options) *Server {
	t.Helper()
	config := app.DefaultConfig()
	config.Data = t.TempDir()
	config.Listen.HTTP = "127.0.0.1:0"
	config.Database.URL = databaseURL
	if o.Configure != nil {
		o.Configure(&config)
	}
	if config.Database.URL == "" {
		databasetest.SQLiteFile(t, config.Data, migrations()...)
	}
	h := &Server{Clock: clock.NewVirtual(Began()), faults: cmp.Or(o.Faults, suiteFaults())}
	if h.faults != nil {
		h.rules = faultrule.NewSet(1, h.Clock.Now, h.faults.catalogue)
	}
	if !o.Unobserved {
		h.observer = Observe(t)
	}
	log := io.Writer(t.Output())
	if o.Log != nil {
		log = o.Log
	}
	var err error
	h.app, err = app.New(t.Context(), app.Options{
		Config: config, Version: "conformance", Quiet: o.Log == nil, LogTo: log,
		Clock: h.Clock, IDs: ids.Seeded(1), Passwords: identitytest.Passwords(),
		AroundStore: o.AroundStore, FaultRules: h.rules,
	})
	if err != nil {
		t.Fatalf("build the fixture: %v", err)
	}
	t.Cleanup(func() {
		if err := h.app.Close(); err != nil {
			t.Errorf("close the fixture: %v", err)
		}
	})
	if err := h.app.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatalf("start the fixture: %v", err)
	}
	h.URL, h.HTTPS = h.app.URL(), h.app.HTTPSURL()
	// Requests of their own would meet faults and draw identifiers that are compared.
	if !o.Unobserved && h.faults == nil && !twice() && rate() == 0 {
		h.links = &links{url: h.URL, followed: map[string]bool{}, rows: map[*testing.T]bool{}, server: h}
	}
	if r := rate(); r > 0 {
		h.Clock.Run(r)
	}
	return h
}

// App is the server itself, for what no request can do to it.
func (h *Server) App() *app.App { return h.app }

// see looks at an answer: at its shape, its times and, where it is kept, its bytes.
func (h *Server) see(t *testing.T, r *http.Request, response *http.Response, body []byte) {
	t.Helper()
	h.observer.see(t, r, response, body)
	what := r.Method + " " + r.URL.RequestURI()
	checkTimes(t, h.Clock.Now(), what, response.Header, body)
	if r.Header.Get("X-Request-Id") == againID {
		return
	}
	h.transcript.write(what, response.StatusCode, response.Header, body)
	h.links.note(t, r, response, body)
}

// Keep looks at an answer that did not come by HTTP.
func (h *Server) Keep(t *testing.T, what string, body []byte) {
	t.Helper()
	if machine := time.Now(); h.Clock.Now().Sub(machine).Abs() >= farApart {
		for _, found := range machineTimes(machine, string(body)) {
			t.Errorf("%s shows the machine's time %s: %.2000q", what, found, body)
		}
	}
	h.transcript.write(what, 0, nil, body)
}

// order waits for the jobs of what was asked before, where answers are compared: a
// job that runs beside a request draws identifiers from the same sequence.
func (h *Server) order(t *testing.T) {
	t.Helper()
	if h.transcript == nil {
		return
	}
	if err := h.app.World().Jobs.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Command runs an operator command and returns its result, as --json prints it.
func (h *Server) Command(t *testing.T, path string, values map[string][]string) map[string]any {
	t.Helper()
	h.order(t)
	if removes(path) {
		h.links.follow(t)
	}
	result, err := h.app.RunCommand(t.Context(), path, values, nil)
	if err != nil {
		t.Fatalf("stoa %s %v: %v", path, values, err)
	}
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("stoa %s prints %s: %v", path, text, err)
	}
	return out
}

// User adds a user.
func (h *Server) User(t *testing.T, name string) {
	t.Helper()
	h.Command(t, "user add", map[string][]string{"name": {name}, "password": {password}})
	h.links.meet(name, "")
}

// Token issues a token of a service with exactly these scopes, or with all
// scopes of the service when none is named.
func (h *Server) Token(t *testing.T, user, service string, scopes ...string) string {
	t.Helper()
	values := map[string][]string{"user": {user}, "service": {service}, "any-kind": {"true"}}
	if len(scopes) > 0 {
		values["scope"] = scopes
	}
	token := text(t, h.Command(t, "token issue", values), "token")
	h.links.meet("", token)
	return token
}

// Key issues an API key of a service.
func (h *Server) Key(t *testing.T, user, service string) string {
	t.Helper()
	return text(t, h.Command(t, "key issue", map[string][]string{
		"user": {user}, "service": {service}, "any-kind": {"true"},
	}), "key")
}

func text(t *testing.T, object map[string]any, name string) string {
	t.Helper()
	value, ok := object[name].(string)
	if !ok || value == "" {
		t.Fatalf("the command printed no %s: %v", name, object)
	}
	return value
}
