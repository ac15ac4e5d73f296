package routetest

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sort"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// Case is one error of a service and the name of its golden file.
type Case struct {
	Name string
	Err  error
}

// canary must not be seen by callers: it stands for the text of an internal
// error.
const canary = "canary-5d41402abc4b"

// Envelope asks write for its answer to every common error, to an internal
// error and to the service's own errors, and compares status, headers and body
// with testdata/envelope/NAME.golden. A common error that is new makes every
// service's test fail until its envelope has an answer; that is intended.
func Envelope(t *testing.T, write func(http.ResponseWriter, *route.Request, error), own ...Case) {
	t.Helper()
	cases := append(CommonErrors(), Case{Name: "internal", Err: errors.New(canary)})
	seen := make(map[string]bool)
	for _, c := range append(cases, own...) {
		name := "envelope/" + FileName(c.Name)
		if seen[name] {
			t.Errorf("two errors are named %q", name)
		}
		seen[name] = true
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			got := answer(write, c.Err)
			if got.Code < 400 && !errors.Is(c.Err, route.ErrClientGone) {
				t.Errorf("status of an error: got %d, want 400 or above", got.Code)
			}
			if strings.Contains(got.Body.String(), canary) || strings.Contains(fmt.Sprint(got.Header()), canary) {
				t.Errorf("the text of an internal error reaches the caller:\n%s", got.Body)
			}
			Golden(t, name, dump(got))
		})
	}
}

// CommonErrors is one example of every error that a request can meet before or
// around its handler. Every envelope answers them all.
func CommonErrors() []Case {
	cases := []Case{
		{"no route", route.ErrNoRoute},
		{"method", &route.MethodError{Allow: []string{"GET", "HEAD", "OPTIONS"}}},
		{"too large", wire.ErrTooLarge},
		{"syntax", &wire.SyntaxError{Offset: 17, Field: "items[2].name", Reason: "items[2].name must be a string"}},
		{"media type", wire.ErrMediaType},
		{"empty body", wire.ErrEmptyBody},
		{"no credential", route.ErrNoCredential},
		{"scope", &route.ScopeError{Needed: []string{"read", "write"}}},
		{"limit", &limit.Exceeded{Decision: limit.Decision{
			Name: "requests", Limit: 60, Used: 60,
			Reset: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC), RetryAfter: 30 * time.Second,
		}}},
		{"deadline", route.ErrDeadline},
		{"store unavailable", &route.UnavailableError{RetryAfter: 30 * time.Second}},
		{"client gone", route.ErrClientGone},
		{"panic", &route.PanicError{Value: "example", ID: "0123456789abcdef"}},
	}
	for _, reason := range []string{route.Unknown, route.Expired, route.Revoked, route.Malformed} {
		cases = append(cases, Case{"credential " + reason, &route.CredentialError{Reason: reason}})
	}
	return cases
}

// StatedStatus fails unless write answers an error with the status that is stated of it.
func StatedStatus(t testing.TB, write func(http.ResponseWriter, *route.Request, error), c Case, status int) {
	t.Helper()
	if got := answer(write, c.Err).Code; got != status {
		t.Errorf("%s is answered with %d, and %d is stated", c.Name, got, status)
	}
}

// answer calls write with a request whose id and time never change.
func answer(write func(http.ResponseWriter, *route.Request, error), err error) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	write(rec, &route.Request{
		Request: httptest.NewRequest(http.MethodGet, "http://stoa.test/example", nil),
		ID:      "request-id",
		Route:   &route.Route{Method: http.MethodGet, Pattern: "/example", Name: "Example"},
		Start:   time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC),
	}, err)
	return rec
}

// dump is an answer as text, headers sorted.
func dump(rec *httptest.ResponseRecorder) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%d\n", rec.Code)
	h := rec.Result().Header
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(&out, "%s: %s\n", name, strings.Join(h[name], ", "))
	}
	fmt.Fprintf(&out, "\n%s\n", rec.Body.Bytes())
	return out.Bytes()
}
