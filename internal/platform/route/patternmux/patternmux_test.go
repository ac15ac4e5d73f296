package patternmux_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/platform/route/patternmux"
)

// TestFirst: of two patterns that overlap the one that is asked first wins, and what it
// does not match reaches the other.
func TestFirst(t *testing.T) {
	t.Parallel()
	m := patternmux.New()
	answer := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, text+r.PathValue("id")+r.PathValue("number")) // memory
		})
	}
	m.Handle("GET /issues/{number}/comments", answer("of "), false)
	m.Handle("GET /issues/comments/{id}", answer("one "), true)
	for path, want := range map[string]string{
		"/issues/7/comments": "of 7", "/issues/comments/8": "one 8", "/issues/comments/comments": "one comments",
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, path, nil)
		if _, pattern := m.Handler(r); pattern == "" {
			t.Errorf("%s has no pattern", path)
		}
		m.ServeHTTP(w, r)
		if got := w.Body.String(); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if _, pattern := m.Handler(httptest.NewRequest(http.MethodGet, "/other", nil)); pattern != "" {
		t.Errorf("an unknown path has the pattern %q", pattern)
	}
}
