package faultrule_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/faultrule"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/platform/wire"
)

// errOut is the own failure of the service of the tests.
var errOut = errors.New("there are no things left")

type caller struct{ name string }

func (caller) HasScope(string) bool { return true }
func (c caller) LimitKey() string   { return c.name }
func (c caller) String() string     { return "token user=" + c.name + " client=app" }

// fixture is a service with rules.
type fixture struct {
	journal *journal.Journal
	set     *faultrule.Set
	clock   *clock.Virtual
	mux     *route.Mux
	faced   []string // names that requests met
	seen    []string // bodies that the handler read
}

func start() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{clock: clock.NewVirtual(start()), journal: journal.New(journal.Options{})}
	f.journal.SetMode(journal.Full)
	routes := f.routes()
	modules := []module.Module{
		{Name: "things", Routes: routes, Faults: []module.Fault{{
			Name: "out_of_things", Status: http.StatusConflict, Description: "Nothing is left.",
			Operations: []string{"things.create"}, Handle: module.Refuse(errOut),
		}}},
		{Name: "keys", RegisterRPC: func(r grpc.ServiceRegistrar) {
			r.RegisterService(&grpc.ServiceDesc{
				ServiceName: "v2.Keys", Methods: []grpc.MethodDesc{{MethodName: "Encrypt"}, {MethodName: "Status"}},
			}, nil)
		}},
		{Name: "others", Routes: routes[:1], Faults: []module.Fault{{
			Name: "late", Status: http.StatusConflict, Description: "It is late.", Handle: module.Refuse(errOut),
		}}},
	}
	f.set = faultrule.NewSet(7, f.clock.Now, faultrule.NewCatalogue(modules))
	f.mux = route.New(route.Options{
		Service: "things", WriteError: f.writeError, FaultRules: f.set, Extract: credential.Bearer(),
		Authenticate: func(_ context.Context, c credential.Credential) (route.Caller, error) {
			return caller{c.Value}, nil
		},
		Clock: f.clock, Journal: f.journal, IDs: ids.Seeded(1), Memory: budget.New(budget.MemoryOptions(0)),
		Requests: budget.New(budget.RequestOptions()),
	}, routes)
	return f
}

func (f *fixture) routes() []route.Route {
	return []route.Route{
		{Method: "GET", Pattern: "/things", Name: "things.list", Access: route.Optional, Handle: f.handle},
		{Method: "GET", Pattern: "/things/{id}", Name: "things.get", Access: route.Optional, Handle: f.handle},
		{Method: "POST", Pattern: "/things", Name: "things.create", Access: route.Optional, Handle: f.handle},
	}
}

func (f *fixture) handle(w http.ResponseWriter, r *route.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	f.seen = append(f.seen, string(body))
	return wire.WriteJSON(w, r.Request, http.StatusOK, map[string]string{"text": strings.Repeat("x", 90)})
}

// writeError is an envelope of a status and a word.
func (f *fixture) writeError(w http.ResponseWriter, r *route.Request, err error) {
	f.faced = append(f.faced, r.Fault())
	var exceeded *limit.Exceeded
	var credentials *route.CredentialError
	status := http.StatusInternalServerError
	switch {
	case errors.Is(err, errOut):
		status = http.StatusConflict
	case errors.Is(err, route.ErrUnavailable):
		status = http.StatusServiceUnavailable
	case errors.As(err, &exceeded):
		status = http.StatusTooManyRequests
	case errors.As(err, &credentials):
		status = http.StatusUnauthorized
	case errors.Is(err, route.ErrDeadline):
		status = http.StatusGatewayTimeout
	}
	_ = wire.WriteJSON(w, r.Request, status, map[string]string{"error": err.Error()})
}

// add reads a rule as the API does.
func (f *fixture) add(t testing.TB, text string) {
	t.Helper()
	if err := f.tryAdd(text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

func (f *fixture) tryAdd(text string) error {
	var rule faultrule.Rule
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&rule); err != nil {
		return err
	}
	_, err := f.set.Add(rule)
	return err
}

// call makes a request and returns the status.
func (f *fixture) call(method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body == "" {
		r = httptest.NewRequest(method, path, http.NoBody)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	f.mux.ServeHTTP(w, r)
	return w
}
