package oauth_test

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/oauth"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/routetest"
)

func request(body string) *route.Request {
	r := httptest.NewRequest("POST", "/token", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return &route.Request{Request: r, ID: "request-1"}
}

func TestForms(t *testing.T) {
	t.Parallel()
	form, err := oauth.ReadForm(request("a=1&b=2"))
	if err != nil || form.Get("b") != "2" {
		t.Errorf("form = %v, %v", form, err)
	}
	if form, err := oauth.ReadForm(request("")); err != nil || len(form) != 0 {
		t.Errorf("an empty body = %v, %v; want an empty form", form, err)
	}
	_, err = oauth.ReadForm(request("a=1&a=2"))
	var refused *oauth.Error
	if !errors.As(err, &refused) || refused.Code != oauth.InvalidRequest {
		t.Errorf("a repeated parameter: %v, want invalid_request", err)
	}
}

func TestClients(t *testing.T) {
	t.Parallel()
	r := request("client_id=a&client_secret=b")
	form, err := oauth.ReadForm(r)
	if err != nil {
		t.Fatal(err)
	}
	if c := oauth.ReadClient(r, form); c != (oauth.Client{ID: "a", Secret: "b"}) || c.Style() != "post" {
		t.Errorf("client = %+v", c)
	}
	r.SetBasicAuth("x%20y", "z+z")
	if c := oauth.ReadClient(r, form); c != (oauth.Client{ID: "x y", Secret: "z z", Basic: true}) || c.Style() != "basic" {
		t.Errorf("client = %+v, want the header's, decoded", c)
	}
	for _, id := range []string{"%00", "a%ff", "\x00", "a\xff"} {
		r.SetBasicAuth(id, id)
		if c := oauth.ReadClient(r, form); c.ID == "" || !utf8.ValidString(c.ID+c.Secret) ||
			strings.ContainsRune(c.ID+c.Secret, 0) {
			t.Errorf("%q as id and secret = %+v, want text that can be looked up", id, c)
		}
	}
}

func TestDescriptionsArePlain(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`scope "a\b€" is not known`: `scope 'a?b?' is not known`,
		"line\nbreak\x7f":           "line?break?",
		"as it is":                  "as it is",
		strings.Repeat("x", 70_000): strings.Repeat("x", 300),
	} {
		w := httptest.NewRecorder()
		oauth.WriteError(w, request(""), oauth.BadRequest(given))
		var body map[string]string
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || body["error_description"] != want {
			t.Errorf("%.40q is described as %.40q, %v; want %.40q", given, body["error_description"], err, want)
		}
	}
}

// Of the common errors only a panic may end up as a server error, and only a
// limit has another body.
func TestEveryErrorHasItsBody(t *testing.T) {
	t.Parallel()
	for _, c := range append(routetest.CommonErrors(),
		routetest.Case{Err: oauth.BadRequest("no")},
		routetest.Case{Err: oauth.BadClient(oauth.Client{Basic: true}, "who")},
	) {
		err := c.Err
		w := httptest.NewRecorder()
		oauth.WriteError(w, request(""), err)
		var body map[string]string
		if bad := json.Unmarshal(w.Body.Bytes(), &body); bad != nil {
			t.Fatalf("%v: body %q: %v", err, w.Body, bad)
		}
		var exceeded *limit.Exceeded
		var panicked *route.PanicError
		if errors.As(err, &exceeded) {
			if body["error_code"] != "rate_limit_exceeded" || w.Code != 403 || w.Header().Get("Retry-After") == "" {
				t.Errorf("%v: %d %v", err, w.Code, body)
			}
			continue
		}
		if body["error"] == "" || body["error_description"] == "" || (w.Code == 500) != errors.As(err, &panicked) {
			t.Errorf("%v: %d %v", err, w.Code, body)
		}
		if w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%v may be cached", err)
		}
	}
}
