package urltext

import (
	"net/url"
	"testing"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

func TestInvalidPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"/": false, "/a": false, "/a/": false, "/a/b": false, "/a.b": false, "/...": false, "/.a": false, "/%41": false,
		"/a%2Fb": false, "/é": false, "": true, "a": true, "//": true, "/a//b": true, "/.": true, "/a/..": true,
		"/a/../b": true, "/%2e": true, "/.%2E/a": true,
		"/a%00": true, "/%ff": true, "/a/./": true,
	} {
		u := &url.URL{Path: path}
		if plain, err := url.PathUnescape(path); err == nil && plain != path {
			u = &url.URL{Path: plain, RawPath: path}
		}
		if got := InvalidPath(u); got != want {
			t.Errorf("InvalidPath(%q) = %t, want %t", path, got, want)
		}
	}
}

// A query is invalid exactly when its decoded text is.
func FuzzInvalidQuery(f *testing.F) {
	fuzztest.Strings(f, "", "a=b", "a=%00", "a=\x00", "%ff", "%c3%a9", "%c3", "é", "\xc3%a9", "%zz%", "%e2%82", "a+b")
	f.Fuzz(func(t *testing.T, raw string) {
		want := false
		plain := decode(raw)
		for i := range len(plain) {
			want = want || plain[i] == 0
		}
		want = want || !utf8.ValidString(plain)
		if got := InvalidQuery(raw); got != want {
			t.Errorf("InvalidQuery(%q) = %t, want %t", raw, got, want)
		}
	})
}

// decode decodes what can be decoded and leaves the rest.
func decode(raw string) string {
	var out []byte
	for i := 0; i < len(raw); i++ {
		if i+2 < len(raw) && raw[i] == '%' {
			if c, err := url.PathUnescape(raw[i : i+3]); err == nil {
				out = append(out, c...)
				i += 2
				continue
			}
		}
		out = append(out, raw[i])
	}
	return string(out)
}
