package oauth

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// A parameter is there once, and what names a client can be looked up.
func FuzzForm(f *testing.F) {
	fuzztest.Add(f, "", "grant_type=x&client_id=a&client_secret=b&scope=a+b")
	fuzztest.Add(f, "Basic YSUzQTpi", "client_id=a&client_id=b")
	fuzztest.Add(f, "Basic /zr+", "redirect_uri=%00&code_verifier=%ff")
	fuzztest.Add(f, "Basic AAA6AA==", "a;b&%zz")
	f.Fuzz(func(t *testing.T, authorization, body string) {
		r := &route.Request{Request: httptest.NewRequest("POST", "/", strings.NewReader(body))}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Authorization", authorization)
		form, err := ReadForm(r)
		var own *Error
		var syntax *wire.SyntaxError
		if err != nil && !errors.As(err, &own) && !errors.As(err, &syntax) {
			t.Errorf("%q: got %T %v, want an error of ours", body, err, err)
		}
		for name, values := range form {
			if len(values) != 1 {
				t.Errorf("%q: %s has %d values", body, name, len(values))
			}
		}
		c := ReadClient(r, form)
		if id := c.ID + c.Secret; !utf8.ValidString(id) || strings.ContainsRune(id, 0) {
			t.Errorf("%q, %q: got %+v", authorization, body, c)
		}
	})
}
