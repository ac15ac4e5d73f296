package routetest_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/platform/wire"
)

// write is the smallest envelope: a status and a word.
func write(w http.ResponseWriter, r *route.Request, err error) {
	status, word := http.StatusInternalServerError, "internal"
	for _, c := range routetest.CommonErrors() {
		if fmt.Sprintf("%T %v", c.Err, c.Err) == fmt.Sprintf("%T %v", err, err) {
			status, word = http.StatusBadRequest, c.Name
		}
	}
	if errors.Is(err, errOwn) {
		status, word = http.StatusConflict, "own"
	}
	if werr := wire.WriteJSON(w, r.Request, status, map[string]string{"word": word, "id": r.ID}); werr != nil {
		panic(werr)
	}
}

var errOwn = errors.New("own")

func TestEnvelope(t *testing.T) {
	t.Parallel()
	routetest.Envelope(t, write, routetest.Case{Name: "own conflict", Err: errOwn})
}

// failures is a testing.TB that only counts what it is told.
type failures struct {
	testing.TB
	list []string
}

func (f *failures) Helper() {}
func (f *failures) Errorf(format string, args ...any) {
	f.list = append(f.list, format)
}

func TestCoverage(t *testing.T) {
	t.Parallel()
	routes := []route.Route{
		{Method: "GET", Pattern: "/a/{x}", Name: "A", Access: route.Required,
			Handle: func(http.ResponseWriter, *route.Request) error { return nil }},
		{Method: "POST", Pattern: "/a/{x}:run", Name: "Run",
			Handle: func(http.ResponseWriter, *route.Request) error { return nil }},
	}
	h := routetest.Record(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Fail") != "" {
			w.WriteHeader(http.StatusNotFound)
		}
	}), routes)
	missing := func() int {
		var f failures
		routetest.Coverage(&f, routes, h)
		return len(f.list)
	}
	for _, step := range []struct {
		s    routetest.Scenario
		left int
	}{
		{routetest.Scenario{URL: "/other", Status: 200}, 2},
		{routetest.Scenario{URL: "/a/1", Status: 200}, 2},
		{routetest.Scenario{URL: "/a/1", Status: 404, Header: map[string]string{"X-Fail": "1"}}, 1},
		{routetest.Scenario{Method: "POST", URL: "/a/1:run", Status: 200}, 1},
		{routetest.Scenario{Method: "POST", URL: "/a/1:run", Status: 404, Header: map[string]string{"X-Fail": "1"}}, 0},
	} {
		routetest.Play(t, h, step.s)
		if got := missing(); got != step.left {
			t.Errorf("after %s %s: %d routes uncovered, want %d", step.s.Method, step.s.URL, got, step.left)
		}
	}
}

func TestFileName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"no route": "no-route", "TestX/a: b": "testx/a-b", "  x  ": "x", "v1.2": "v1.2",
	} {
		if got := routetest.FileName(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
