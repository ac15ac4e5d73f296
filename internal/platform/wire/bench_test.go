package wire_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/platform/wire"
)

type sink struct{ h http.Header }

func (s *sink) Header() http.Header         { return s.h }
func (s *sink) Write(b []byte) (int, error) { return len(b), nil }
func (s *sink) WriteHeader(int)             {}

// list is thirty rows as a service would answer them.
func list() []map[string]any {
	out := make([]map[string]any, 30)
	for i := range out {
		out[i] = map[string]any{"id": "0123456789abcdef", "title": "a thing to do", "done": i%2 == 0, "position": i}
	}
	return out
}

func BenchmarkWriteJSON(b *testing.B) {
	type row struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	v := &row{"42", "thing"}
	r := httptest.NewRequest("GET", "/", nil)
	w := &sink{h: make(http.Header)}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.h)
		_ = wire.WriteJSON(w, r, 200, v)
	}
}

func BenchmarkWriteGzip(b *testing.B) {
	body, _ := wire.EncodeJSON(list())
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	w := &sink{h: make(http.Header)}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		clear(w.h)
		_ = wire.WriteBytes(w, r, 200, "", body)
	}
}

func BenchmarkReadJSON(b *testing.B) {
	text, _ := wire.EncodeJSON(list())
	for name, read := range map[string]func(*http.Request, any) error{
		"wire":  func(r *http.Request, v any) error { return wire.ReadJSON(r, v) },
		"plain": func(r *http.Request, v any) error { return json.NewDecoder(r.Body).Decode(v) },
	} {
		b.Run(name, func(b *testing.B) {
			body := bytes.NewReader(text)
			r := httptest.NewRequest("POST", "/", body)
			r.Body = io.NopCloser(body)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				body.Reset(text)
				var v []struct {
					ID, Title string
					Done      bool
				}
				if err := read(r, &v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
