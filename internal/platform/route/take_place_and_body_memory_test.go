package route_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
	"stoa.dev/stoa/internal/platform/wire"
)

// A body is weighed before its handler runs, also one without a length, and
// what is decoded from it too; everything comes back afterwards.
func TestBodiesAreWeighed(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, body string
		chunked    bool
		spools     bool
		want       int
	}{
		{"light", `{"a":1}`, false, false, 200},
		{"fits", `["` + strings.Repeat("x", 10<<10) + `"]`, false, false, 200},
		{"too heavy", `["` + strings.Repeat("x", 300<<10) + `"]`, false, false, 413},
		{"too heavy without a length", `["` + strings.Repeat("x", 300<<10) + `"]`, true, false, 413},
		{"many values", "[" + strings.Repeat("{},", 5000) + "{}]", false, false, 413},
		{"spooled", `["` + strings.Repeat("x", 300<<10) + `"]`, false, true, 200},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			pool := budget.New(budget.Options{Name: "memory", Total: 1 << 20})
			h := build(t, []route.Route{{
				Method: "POST", Pattern: "/x", Name: "x", Spools: row.spools,
				Handle: func(w http.ResponseWriter, r *route.Request) error {
					var v any
					if row.spools {
						_, err := io.Copy(io.Discard, r.Body)
						return err
					}
					return wire.ReadJSON(r.Request, &v)
				},
			}}, func(o *route.Options) { o.Memory = pool })
			var body io.Reader = strings.NewReader(row.body)
			if row.chunked {
				body = struct{ io.Reader }{body}
			}
			rec := httptest.NewRecorder()
			h.mux.ServeHTTP(rec, httptest.NewRequest("POST", "/x", body))
			if rec.Code != row.want {
				t.Errorf("got %d %s, want %d", rec.Code, rec.Body, row.want)
			}
			if pool.Used() != 0 {
				t.Errorf("%d bytes are still held", pool.Used())
			}
		})
	}
}

// A busy pool is a refusal with a time to come back, on the world's clock.
func TestBusyMemory(t *testing.T) {
	t.Parallel()
	pool := budget.New(budget.Options{Name: "memory", Total: 1 << 20})
	held, err := pool.Take(t.Context(), budget.Caller("eve"), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	h := build(t, []route.Route{{Method: "POST", Pattern: "/x", Name: "x", Handle: say("done")}},
		func(o *route.Options) { o.Memory = pool })
	rec := httptest.NewRecorder()
	h.mux.ServeHTTP(rec, httptest.NewRequest("POST", "/x", strings.NewReader(strings.Repeat("x", 9<<10))))
	if rec.Code != http.StatusTooManyRequests {
		t.Errorf("got %d %s, want 429", rec.Code, rec.Body)
	}
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{
		"192.0.2.7:80":              "192.0.2.7",
		"[::ffff:192.0.2.7]:80":     "192.0.2.7",
		"[2001:db8:1:2:3:4:5:6]:80": "2001:db8:1:2::/64",
		"[2001:db8:1:2::ffff]:80":   "2001:db8:1:2::/64",
		"[fe80::1%eth0]:80":         "fe80::/64",
		"@":                         "@",
		"2001:db8:1:2:3:4:5:6":      "2001:db8:1:2::/64",
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = from
		if got := clientaddr.Network(r); got != want {
			t.Errorf("Network(%s) = %s, want %s", from, got, want)
		}
	}
}

func TestAddressAndLoopback(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]struct {
		address  string
		loopback bool
	}{
		"127.0.0.9:80":              {"127.0.0.9", true},
		"[::1]:80":                  {"::1", true},
		"[::ffff:127.0.0.1]:80":     {"127.0.0.1", true},
		"192.0.2.7:80":              {"192.0.2.7", false},
		"[2001:db8:1:2:3:4:5:6]:80": {"2001:db8:1:2:3:4:5:6", false},
		"localhost:80":              {"localhost", false},
		"@":                         {"@", false},
		"":                          {"", false},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = from
		if got := clientaddr.Address(r); got != want.address {
			t.Errorf("Address(%s) = %s, want %s", from, got, want.address)
		}
		if got := clientaddr.Loopback(r); got != want.loopback {
			t.Errorf("Loopback(%s) = %t, want %t", from, got, want.loopback)
		}
	}
}

// Values are counted before they exist.
func TestTooManyValues(t *testing.T) {
	t.Parallel()
	text := []byte("[" + strings.Repeat("{},", 100_000) + "{}]")
	var v any
	var refused *wire.SyntaxError
	if err := wire.DecodeJSON(text, &v); !errors.As(err, &refused) || v != nil {
		t.Errorf("got %v, want a *SyntaxError and nothing decoded", err)
	}
	if err := wire.DecodeJSON(text, &v, wire.MaxValues(200_000)); err != nil {
		t.Errorf("with a higher bound: %v", err)
	}
}

// An owner with many requests in progress waits for its own; another does not.
func TestRequestsInProgress(t *testing.T) {
	t.Parallel()
	pool := budget.New(budget.Options{Name: "requests in progress", Total: 3, PerOwner: 2})
	inside, leave := make(chan struct{}), make(chan struct{})
	h := build(t, []route.Route{
		{Method: "GET", Pattern: "/slow", Name: "slow", Access: route.Required,
			Handle: func(http.ResponseWriter, *route.Request) error {
				inside <- struct{}{}
				<-leave
				return nil
			}},
		{Method: "GET", Pattern: "/quick", Name: "quick", Access: route.Required, Handle: say("done")},
	}, func(o *route.Options) { o.Requests = pool })
	ask := func(path, token string) int {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Authorization", "Bearer "+token)
		rec := httptest.NewRecorder()
		h.mux.ServeHTTP(rec, r)
		return rec.Code
	}
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() { ask("/slow", "ann") })
		<-inside
	}
	if got := ask("/quick", "ann"); got != http.StatusTooManyRequests {
		t.Errorf("a third request of the owner: %d, want 429", got)
	}
	if got := ask("/quick", "bob"); got != http.StatusOK {
		t.Errorf("another owner's: %d, want 200", got)
	}
	close(leave)
	group.Wait()
	if pool.Used() != 0 {
		t.Errorf("%d places are still held", pool.Used())
	}
}
