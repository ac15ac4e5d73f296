package route_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/platform/telemetry"
	"stoa.dev/stoa/internal/platform/wire"
)

// sink is a ResponseWriter that costs nothing.
type sink struct{ h http.Header }

func (s *sink) Header() http.Header         { return s.h }
func (s *sink) Write(b []byte) (int, error) { return len(b), nil }
func (s *sink) WriteHeader(int)             {}

func benchmark(b *testing.B, h http.Handler) {
	b.Helper()
	r := httptest.NewRequest("GET", "/things/42", nil)
	r.Header.Set("Authorization", "Bearer ann")
	r.Body = http.NoBody
	w := &sink{h: make(http.Header)}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.h)
		h.ServeHTTP(w, r)
	}
}

// constant is the answer of all benchmarks. It is read-only.
var constant = []byte(`{"id":"42","name":"thing"}`)

func BenchmarkBareHandler(b *testing.B) {
	benchmark(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"] = []string{"application/json"}
		_, _ = w.Write(constant)
	}))
}

func BenchmarkServeMux(b *testing.B) {
	m := http.NewServeMux()
	m.HandleFunc("GET /things/{id}", func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"] = []string{"application/json"}
		_, _ = w.Write(constant)
	})
	benchmark(b, m)
}

// BenchmarkMux is the happy path: match, bearer, scope, gate, metrics, recent
// requests; the access log is off, as a benchmark of the log is one of the disk.
func BenchmarkMux(b *testing.B) { benchmark(b, happyMux()) }

// The happy path stays at a handful of allocations, also when a gate is added.
func TestHappyPathAllocations(t *testing.T) {
	m := happyMux()
	r := httptest.NewRequest("GET", "/things/42", nil)
	r.Header.Set("Authorization", "Bearer ann")
	r.Body = http.NoBody
	w := &sink{h: make(http.Header)}
	got := testing.AllocsPerRun(200, func() {
		clear(w.h)
		m.ServeHTTP(w, r)
	})
	if got > 9 {
		t.Errorf("allocations per request: got %v, want at most 9", got)
	}
}

func happyMux() *route.Mux {
	return route.New(route.Options{
		Service: "bench", WriteError: envelope("bench"), Extract: credential.Bearer(), Authenticate: authenticate,
		Gate:  func(http.ResponseWriter, *route.Request) (func(), error) { return nil, nil },
		Clock: clock.Real(), IDs: ids.Random(), Memory: budget.New(budget.MemoryOptions(0)),
		Requests: budget.New(budget.RequestOptions()), Telemetry: telemetry.Nop(),
	}, []route.Route{{
		Method: "GET", Pattern: "/things/{id}", Name: "Get", Access: route.Required, Scopes: []string{"read"},
		Handle: func(w http.ResponseWriter, r *route.Request) error {
			return wire.WriteBytes(w, r.Request, http.StatusOK, "", constant)
		},
	}})
}

// BenchmarkLoopback is the same two over a connection: the ratio that callers
// see.
func BenchmarkLoopback(b *testing.B) {
	for name, h := range map[string]http.Handler{
		"bare": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Content-Type"] = []string{"application/json"}
			_, _ = w.Write(constant)
		}),
		"mux": happyMux(),
	} {
		b.Run(name, func(b *testing.B) {
			s := httptest.NewServer(h)
			defer s.Close()
			defer s.Client().CloseIdleConnections()
			r, err := http.NewRequest("GET", s.URL+"/things/42", nil)
			if err != nil {
				b.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer ann")
			for b.Loop() {
				resp, err := s.Client().Do(r)
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}
}
