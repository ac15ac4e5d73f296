package sharedcache_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/route/sharedcache"
)

func TestKeepPrivate(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		said  []string
		known bool
		want  string
	}{
		"nothing":                 {nil, false, "private"},
		"nothing, to a caller":    {nil, true, "private"},
		"to be asked again":       {[]string{"no-cache"}, false, "private, no-cache"},
		"some time":               {[]string{"max-age=60", "must-revalidate"}, true, "private, max-age=60, must-revalidate"},
		"private":                 {[]string{"private, no-cache"}, true, "private, no-cache"},
		"not at all":              {[]string{"No-Store"}, true, "No-Store"},
		"for all":                 {[]string{"public, max-age=60"}, false, "public, max-age=60"},
		"for all, to a caller":    {[]string{"max-age=60, public , s-maxage=60"}, true, "private, max-age=60, s-maxage=60"},
		"for all alone":           {[]string{"public"}, true, "private"},
		"one header is private":   {[]string{`private="Set-Cookie"`}, false, `private, private="Set-Cookie"`},
		"private and for all":     {[]string{"public", "private"}, false, "public, private"},
		"words that only contain": {[]string{"publicity"}, false, "private, publicity"},
	} {
		h := http.Header{}
		for _, line := range row.said {
			h.Add("Cache-Control", line)
		}
		sharedcache.KeepPrivate(h, row.known)
		if got := strings.Join(h["Cache-Control"], ", "); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

// BenchmarkKeepPrivate is what every answer pays.
func BenchmarkKeepPrivate(b *testing.B) {
	h := http.Header{}
	for b.Loop() {
		h["Cache-Control"] = nil
		sharedcache.KeepPrivate(h, true)
	}
}
