package routetest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Scenario is one request and what its answer must be.
type Scenario struct {
	// Name is the subtest's, a short sentence in lower case.
	Name string
	// Method is GET unless set; URL is a path with an optional query, or an
	// absolute URL when the host matters.
	Method, URL string
	// Caller is the Authorization header; Header are all others. X-Request-Id is
	// set unless given, so that ids in bodies do not change.
	Caller string
	Header map[string]string
	Body   string

	// Status is what must be answered.
	Status int
	// WantHeader are headers and their values: "*" stands for any value, ""
	// for a header that must be absent.
	WantHeader map[string]string
	// Golden compares the body with testdata/TEST/NAME.golden.
	Golden bool
	// WantBody, if set, is the exact body.
	WantBody string
	// Contains and NotContains are parts that the body must and must not have.
	Contains, NotContains []string
	// Check, if set, looks at the rest.
	Check func(t *testing.T, rec *httptest.ResponseRecorder)
}

// Run plays all scenarios against h, in parallel, and returns when all are
// done. Scenarios must therefore not depend on each other.
func Run(t *testing.T, h http.Handler, scenarios []Scenario) {
	t.Helper()
	dir := t.Name()
	t.Run("scenarios", func(t *testing.T) {
		for _, s := range scenarios {
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				s.play(t, h, dir)
			})
		}
	})
}

// Play sends one scenario's request and checks the answer, for tests whose
// steps follow from each other.
func Play(t *testing.T, h http.Handler, s Scenario) *httptest.ResponseRecorder {
	t.Helper()
	return s.play(t, h, t.Name())
}

func (s Scenario) play(t *testing.T, h http.Handler, dir string) *httptest.ResponseRecorder {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, s.request())
	if rec.Code != s.Status {
		t.Errorf("%s %s: status: got %d, want %d\nbody: %s", s.Method, s.URL, rec.Code, s.Status, rec.Body)
	}
	s.checkHeader(t, rec.Result().Header)
	body := rec.Body.String()
	if s.WantBody != "" && body != s.WantBody {
		t.Errorf("body:\n got %s\nwant %s", body, s.WantBody)
	}
	for _, part := range s.Contains {
		if !strings.Contains(body, part) {
			t.Errorf("body must contain %q, got:\n%s", part, body)
		}
	}
	for _, part := range s.NotContains {
		if strings.Contains(body, part) {
			t.Errorf("body must not contain %q, got:\n%s", part, body)
		}
	}
	if s.Golden {
		Golden(t, dir+"/"+s.Name, rec.Body.Bytes())
	}
	if s.Check != nil {
		s.Check(t, rec)
	}
	return rec
}

func (s Scenario) request() *http.Request {
	method := s.Method
	if method == "" {
		method = http.MethodGet
	}
	r := httptest.NewRequest(method, s.URL, strings.NewReader(s.Body))
	if s.Body == "" {
		r.Body, r.ContentLength = http.NoBody, 0
	}
	r.Header.Set("X-Request-Id", "scenario")
	if s.Caller != "" {
		r.Header.Set("Authorization", s.Caller)
	}
	for name, value := range s.Header {
		r.Header.Set(name, value)
	}
	return r
}

func (s Scenario) checkHeader(t *testing.T, got http.Header) {
	t.Helper()
	for name, want := range s.WantHeader {
		values, present := got[http.CanonicalHeaderKey(name)]
		joined := strings.Join(values, ", ")
		switch {
		case want == "" && present:
			t.Errorf("header %s: got %q, want none", name, joined)
		case want == "*" && !present:
			t.Errorf("header %s is missing", name)
		case want != "" && want != "*" && joined != want:
			t.Errorf("header %s: got %q, want %q", name, joined, want)
		}
	}
}
