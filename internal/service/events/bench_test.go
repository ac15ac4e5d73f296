package events_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// nullWriter costs nothing of its own.
type nullWriter struct{ header http.Header }

func (w *nullWriter) Header() http.Header         { return w.header }
func (w *nullWriter) Write(p []byte) (int, error) { return len(p), nil }
func (w *nullWriter) WriteHeader(int)             {}

func benchmarkFeed(b *testing.B, conditional bool) {
	h := open(b, "", generous())
	r := h.repo(b, "ada", "busy", false)
	for range 40 {
		h.star(b, r, h.actor("ada"))
	}
	token := h.Token("ada")
	tag := h.get("/events", token).Header().Get("Etag")
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodGet, "/events", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		if conditional {
			r.Header.Set("If-None-Match", tag)
		}
		h.Module.Handler.ServeHTTP(&nullWriter{http.Header{}}, r)
	}
}

func BenchmarkFeed(b *testing.B)        { benchmarkFeed(b, false) }
func BenchmarkNotModified(b *testing.B) { benchmarkFeed(b, true) }
