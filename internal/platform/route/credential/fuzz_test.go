package credential_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/route/credential"
)

// FuzzQueryCredential checks, for any query, that a credential is read from it
// as net/url reads it.
func FuzzQueryCredential(f *testing.F) {
	fuzztest.Strings(f, "key=a", "key=a&key=b", "k%65y=a", "key", "key=", "key=a;b", "a=1&key=%zz", "key=a+b", "&&key=a&",
		"=key", "%6b%65%79=%61", "key=a&k+ey=b")
	extract := credential.Query("key")
	f.Fuzz(func(t *testing.T, query string) {
		u := &url.URL{Path: "/", RawQuery: query}
		got, found := extract(&http.Request{URL: u})
		values := u.Query()["key"]
		switch {
		case found != (len(values) > 0):
			t.Errorf("%q: found %v, net/url reads %q", query, found, values)
		case found && !got.Malformed && (len(values) != 1 || got.Value != values[0]):
			t.Errorf("%q: got %q, net/url reads %q", query, got.Value, values)
		case len(values) > 1 && !got.Malformed:
			t.Errorf("%q: %d values are taken for one", query, len(values))
		}
	})
}

// A credential of a header is one that may be looked up, or malformed.
func FuzzHeaderCredential(f *testing.F) {
	fuzztest.Strings(f,
		"Bearer abc", "bearer  a b", "Basic YTpi", "Basic YTo=", "basic OmI=", "Basic !!", "token abc", "Bearer", "", " ",
		"Bearer\tabc", "Basic AA==", "Digest x=y",
	)
	extractors := []credential.Extractor{credential.Bearer(), credential.BasicUser(), credential.Header("Authorization")}
	f.Fuzz(func(t *testing.T, header string) {
		for i, extract := range extractors {
			got, found := extract(&http.Request{Header: http.Header{"Authorization": {header}}})
			if !found && got.Value != "" || got.Malformed && got.Value+got.Second != "" {
				t.Errorf("%d: %q: got %+v, %v", i, header, got, found)
			}
			if found && !got.Malformed && (got.Value == "" || strings.ContainsAny(got.Value+got.Second, "\x00\r\n\x7f")) {
				t.Errorf("%d: %q: got %+v", i, header, got)
			}
			if _, twice := extract(&http.Request{Header: http.Header{"Authorization": {header, header}}}); found && !twice {
				t.Errorf("%d: %q twice is not found", i, header)
			}
		}
	})
}
