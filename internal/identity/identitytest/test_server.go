package identitytest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/passwords"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/telemetry"
	"stoa.dev/stoa/internal/platform/world"
)

// Start is the virtual time at which every server starts.
func Start() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }

// Server is a world with one service in it.
type Server struct {
	World    *world.World
	Identity *identity.Identity
	Grants   *grants.Grants
	Clock    *clock.Virtual
	Module   module.Module
	// Log holds everything that was logged.
	Log *Log

	t testing.TB
}

// Build makes the service under test.
type Build func(w *world.World, identity *identity.Identity) module.Module

// Run opens a server on each database and runs fn on it.
func Run(t *testing.T, build Build, fn func(t *testing.T, h *Server)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		fn(t, Open(t, build, ""))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		fn(t, Open(t, build, PostgresURL(t)))
	})
}

// PostgresURL is a database that has the tables of every service's world already,
// copied from a template: making them takes longer than most tests.
func PostgresURL(t testing.TB) string {
	t.Helper()
	return databasetest.PostgresURL(t, common()...)
}

// common are the migrations that come before a service's own.
func common() []database.Migrations { return append(world.Migrations(), identity.Migrations()) }

// SQLite opens a server on SQLite alone, for tests that touch no store.
func SQLite(t testing.TB, build Build) *Server {
	t.Helper()
	return Open(t, build, "")
}

// Open opens a server on the database behind url; empty means SQLite.
func Open(t testing.TB, build Build, url string) *Server {
	t.Helper()
	h := &Server{t: t, Clock: clock.NewVirtual(Start()), Log: &Log{}}
	w, err := world.Open(t.Context(), world.Options{
		Dir: t.TempDir(), Database: database.Config{URL: url, Connections: 4},
		Clock: h.Clock, IDs: ids.Random(), Telemetry: telemetry.To(h.Log),
		URL: func() string { return "http://stoa.test" },
	})
	if err != nil {
		t.Fatalf("open the world: %v", err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Errorf("close the world: %v", err)
		}
	})
	h.World = w
	o := identity.OptionsFor(w)
	o.Passwords = Passwords()
	h.Identity = identity.New(o)
	h.Grants = grants.New(w, h.Identity)
	t.Cleanup(func() {
		if err := h.Identity.Close(); err != nil {
			t.Errorf("close identity: %v", err)
		}
	})
	h.build(build)
	return h
}

// Passwords costs next to nothing: a test signs in more often than a user.
func Passwords() passwords.Options {
	return passwords.Options{MemoryKiB: 64, Passes: 1, Threads: 1, Concurrent: 2, MinLength: 8}
}

// build makes the service and makes its tables.
func (h *Server) build(build Build) {
	h.t.Helper()
	h.Module = build(h.World, h.Identity)
	sets := common()
	if h.Module.Migrations.Files != nil {
		sets = append(sets, h.Module.Migrations)
	}
	if err := h.World.DB.Migrate(h.t.Context(), sets...); err != nil {
		h.t.Fatalf("migrate: %v", err)
	}
	h.Identity.Register(h.Module)
	h.World.Jobs.Register(h.Module.Jobs...)
	if h.Module.Start != nil {
		if err := h.Module.Start(h.t.Context()); err != nil {
			h.t.Fatalf("start %s: %v", h.Module.Name, err)
		}
	}
	if h.Module.Close != nil {
		h.t.Cleanup(func() {
			if err := h.Module.Close(); err != nil {
				h.t.Errorf("close %s: %v", h.Module.Name, err)
			}
		})
	}
}

// User makes a user, or finds the one of that name.
func (h *Server) User(name string) identity.User {
	h.t.Helper()
	ctx := context.Background()
	if u, err := h.Identity.UserByName(ctx, name); err == nil {
		return u
	}
	u, err := h.Identity.AddUser(ctx, identity.NewUser{Name: name, Password: "correct horse battery"})
	if err != nil {
		// Another part of the test may have made the user meanwhile.
		if u, found := h.Identity.UserByName(ctx, name); found == nil {
			return u
		}
		h.t.Fatalf("add user %s: %v", name, err)
	}
	return u
}

// Token issues a personal token of the service under test; without scopes it
// carries every scope of the service.
func (h *Server) Token(user string, scopes ...string) string {
	h.t.Helper()
	if len(scopes) == 0 {
		for _, s := range h.Module.Scopes {
			scopes = append(scopes, s.Name)
		}
	}
	return h.Issue(identity.IssueOptions{
		Kind: identity.KindPersonal, Services: []string{h.Module.Name}, Scopes: scopes, UserID: h.User(user).ID,
	})
}

// Issue issues any token.
func (h *Server) Issue(o identity.IssueOptions) string {
	h.t.Helper()
	_, secret, err := h.Identity.IssueToken(context.Background(), o)
	if err != nil {
		h.t.Fatalf("issue token: %v", err)
	}
	return secret
}

// Key issues a key of the service under test.
func (h *Server) Key(user string, kind identity.Kind, days int) string {
	h.t.Helper()
	_, secret, err := h.Identity.IssueKey(context.Background(), identity.KeyOptions{
		Service: h.Module.Name, Kind: kind, UserID: h.User(user).ID, Days: days,
	})
	if err != nil {
		h.t.Fatalf("issue key: %v", err)
	}
	return secret
}

// Do sends a request straight to the service's handler.
func (h *Server) Do(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.Module.Handler.ServeHTTP(w, r)
	return w
}

// Call is Do with the parts most tests need. Headers are "Name: value".
func (h *Server) Call(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	h.t.Helper()
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, target, content)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	return h.Do(r)
}
