package route_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/platform/telemetry"
	"stoa.dev/stoa/internal/platform/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testCaller is the caller of the tests.
type testCaller struct {
	name   string
	scopes string
}

func (p testCaller) HasScope(s string) bool { return strings.Contains(p.scopes, s) }
func (p testCaller) LimitKey() string       { return p.name }
func (p testCaller) String() string         { return "user:" + p.name }

// authenticate knows three tokens by their own names.
func authenticate(_ context.Context, c credential.Credential) (route.Caller, error) {
	switch c.Value {
	case "ann":
		return testCaller{"ann", "read write"}, nil
	case "bob":
		return testCaller{"bob", "read"}, nil
	case "nil":
		return nil, nil
	case "broken":
		return nil, errors.New("the token store is on fire")
	case "old":
		return nil, &route.CredentialError{Reason: route.Expired}
	}
	return nil, &route.CredentialError{Reason: route.Unknown}
}

// envelope answers "WORD code" with the status that fits; the word tells two
// services apart.
func envelope(word string) func(http.ResponseWriter, *route.Request, error) {
	return func(w http.ResponseWriter, r *route.Request, err error) {
		status, code := classify(err)
		body := map[string]string{"envelope": word, "code": code, "id": r.ID}
		if status < 500 {
			body["message"] = err.Error()
		}
		if werr := wire.WriteJSON(w, r.Request, status, body); werr != nil {
			panic(werr)
		}
	}
}

func classify(err error) (int, string) {
	var (
		method     *route.MethodError
		credential *route.CredentialError
		scope      *route.ScopeError
		exceeded   *limit.Exceeded
		syntax     *wire.SyntaxError
		panicked   *route.PanicError
	)
	switch {
	case errors.Is(err, route.ErrNoRoute):
		return 404, "no_route"
	case errors.As(err, &method):
		return 405, "method"
	case errors.Is(err, wire.ErrTooLarge):
		return 413, "too_large"
	case errors.Is(err, wire.ErrMediaType):
		return 415, "media_type"
	case errors.Is(err, wire.ErrEmptyBody):
		return 400, "empty"
	case errors.As(err, &syntax):
		return 400, "syntax"
	case errors.Is(err, route.ErrNoCredential):
		return 401, "none"
	case errors.As(err, &credential):
		return 401, credential.Reason
	case errors.As(err, &scope):
		return 403, "scope"
	case errors.As(err, &exceeded):
		return 429, "limit"
	case errors.Is(err, route.ErrDeadline):
		return 504, "deadline"
	case errors.Is(err, route.ErrClientGone):
		return 499, "gone"
	case errors.As(err, &panicked):
		return 500, "panic"
	}
	return 500, "internal"
}

// testServer is one mux with its log.
type testServer struct {
	mux *route.Mux
	log *safeBuffer
	tel *telemetry.Telemetry
}

type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// build makes a mux of routes with the test envelope; change may adjust the
// options.
func build(t testing.TB, routes []route.Route, change ...func(*route.Options)) *testServer {
	t.Helper()
	h := &testServer{log: &safeBuffer{}}
	h.tel = telemetry.To(h.log)
	o := route.Options{
		Service: "test", WriteError: envelope("test"),
		Extract: credential.Bearer(), Authenticate: authenticate,
		Clock: clock.NewVirtual(time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)), IDs: ids.Seeded(1),
		Memory: budget.New(budget.MemoryOptions(0)), Requests: budget.New(budget.RequestOptions()),
		Telemetry: h.tel,
	}
	for _, c := range change {
		c(&o)
	}
	h.mux = route.New(o, routes)
	return h
}

// say answers 200 with a text.
func say(text string) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		_, err := fmt.Fprint(w, text)
		return err
	}
}

// sayPath answers with a path value in quotes, so that nothing hides.
func sayPath(name string) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		_, err := fmt.Fprintf(w, "%s %q", r.Route.Name, r.PathValue(name))
		return err
	}
}

// do sends one request straight into the handler.
func do(h http.Handler, method, url string, header ...string) *httptest.ResponseRecorder {
	return doBody(h, method, url, "", header...)
}

func doBody(h http.Handler, method, url, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, url, strings.NewReader(body))
	if body == "" {
		r.Body, r.ContentLength = http.NoBody, 0
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	return rec
}
