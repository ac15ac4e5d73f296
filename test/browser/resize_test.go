package browser_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestResize: a page that was loaded on a desktop is laid out anew for a phone, so that
// one that is too wide there is found.
func TestResize(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, `<!doctype html><meta name="viewport" content="width=device-width, initial-scale=1">
			<title>wide</title><body style="margin: 0"><div style="width: 800px">wide</div>`)
	}))
	t.Cleanup(site.Close)
	b := newTab(t, screens()[1], site.URL)
	b.open("/")
	for _, want := range []int64{1280, 800, 1280} {
		if got := evaluate[int64](b, `document.documentElement.scrollWidth`); got != want {
			t.Errorf("the page is %d wide on a %s, want %d", got, b.screen.name, want)
		}
		b.resize()
	}
}
