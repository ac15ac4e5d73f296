package fault_test

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fault"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/routetest"
)

func request() *route.Request {
	return &route.Request{Request: httptest.NewRequest("PUT", "/v2/x", nil), ID: "request-1"}
}

// Of the errors that any request can meet only a panic may end up as an internal
// error.
func TestCommonErrors(t *testing.T) {
	t.Parallel()
	for _, c := range routetest.CommonErrors() {
		err := c.Err
		w, r := httptest.NewRecorder(), request()
		f := fault.Common(r, err)
		fault.Write(w, r, f)

		var panicked *route.PanicError
		if internal := f.Code == http.StatusInternalServerError; internal != errors.As(err, &panicked) {
			t.Errorf("%T %v: code %d", err, err, f.Code)
		}
		var body struct {
			Error struct {
				Code            int
				Message, Status string
				Errors          []map[string]string
			}
		}
		if bad := json.Unmarshal(w.Body.Bytes(), &body); bad != nil {
			t.Fatalf("%v: body %q: %v", err, w.Body, bad)
		}
		e := body.Error
		if w.Code != f.Code || e.Code != f.Code || e.Message == "" || e.Status == "" || len(e.Errors) != 1 {
			t.Errorf("%v: status %d, body %s", err, w.Code, w.Body)
		}
	}
}

// What the caller did wrong is not said to be a failure of the service, which clients try again. What is written for
// a caller who has gone is not read.
func TestRefusalsAreNoBackendErrors(t *testing.T) {
	t.Parallel()
	const clientGone = 499
	for _, c := range routetest.CommonErrors() {
		f := fault.Common(request(), c.Err)
		own := f.Code < http.StatusInternalServerError && f.Code != clientGone
		if own && strings.Contains(string(fault.Body(f)), "backendError") {
			t.Errorf("%T %v: %s", c.Err, c.Err, fault.Body(f))
		}
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	fault.Write(w, request(), fault.Fault{
		Code: 405, Status: "METHOD_NOT_ALLOWED", Message: "no",
		Allow: []string{"GET", "HEAD"}, Challenge: "Bearer", RetryAfter: 1500e6,
	})
	for name, want := range map[string]string{
		"Allow": "GET, HEAD", "WWW-Authenticate": "Bearer", "Retry-After": "2", "Cache-Control": "no-store",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
}

func TestTheInsideStaysInside(t *testing.T) {
	t.Parallel()
	f := fault.Common(request(), errors.New("password=hunter2"))
	if strings.Contains(f.Message, "hunter2") || !strings.Contains(f.Message, "request-1") {
		t.Errorf("message = %q, want the request id and nothing else", f.Message)
	}
}

func TestABadDetailIsDropped(t *testing.T) {
	t.Parallel()
	body := fault.Body(fault.Fault{Code: 400, Status: "X", Message: "m", Details: []any{math.NaN()}})
	if !json.Valid(body) || !strings.Contains(string(body), `"message":"m"`) {
		t.Errorf("body = %s", body)
	}
}
