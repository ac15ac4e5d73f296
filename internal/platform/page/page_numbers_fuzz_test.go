package page_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/page"
)

// Numbers of a query are within their bounds or refused, and the links made of
// the query end where they should.
func FuzzNumbers(f *testing.F) {
	fuzztest.Strings(f,
		"page=2&per_page=50", "page=9223372036854775808", "page=-1&per_page=0", "page=+1", "page=%31&per_page=1e3",
		"a=<b>&page=1", "p%61ge=3&%zz", "page=1&page=2", "x=\r\nLink:&per_page=1",
	)
	f.Fuzz(func(t *testing.T, query string) {
		values, _ := url.ParseQuery(query) // handlers take what can be read, too
		b := bounds()
		n, err := b.ReadNumbers(values)
		checkParam(t, err)
		if err == nil && (n.Page < 1 || n.Page > 1000 || n.Size < 1 || n.Size > 100 || n.Offset() < 0) {
			t.Errorf("%q: got %+v", query, n)
		}
		link := b.Link(&url.URL{Path: "/a", RawQuery: query}, page.Numbers{Page: 2, Size: 10}, 35)
		if strings.Count(link, ">") != 4 || strings.ContainsAny(link, "\r\n") {
			t.Errorf("%q: got %q", query, link)
		}
	})
}

func checkParam(t *testing.T, err error) {
	t.Helper()
	var refused *page.ParamError
	if err != nil && !errors.As(err, &refused) {
		t.Errorf("got %v, want a *ParamError", err)
	}
}
