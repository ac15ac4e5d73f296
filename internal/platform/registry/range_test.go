package registry_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/registry"
)

// TestParts: a part is told as one, and a server that knows no parts sends it all.
func TestParts(t *testing.T) {
	t.Parallel()
	file := bytes.Repeat([]byte("0123456789"), 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/whole":
			_, _ = w.Write(file) // the client may be gone
		case "/unasked":
			w.Header().Set("Content-Range", "bytes 0-0/1000")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(file[:1])
		default:
			w.Header().Set("ETag", `"1"`)
			http.ServeContent(w, r, "file", time.Time{}, bytes.NewReader(file))
		}
	}))
	t.Cleanup(server.Close)
	at, err := registry.NewAddress(registry.PyPI, server.URL, "the test")
	if err != nil {
		t.Fatal(err)
	}
	c := registry.NewClient(registry.ClientOptions{Attempts: 1})
	t.Cleanup(c.Close)
	c.Trust(at)
	for _, row := range []struct {
		name, path, span, part string
		body                   []byte
	}{
		{"the end", "/file", "bytes=-10", "bytes 990-999/1000", file[990:]},
		{"a part", "/file", "bytes=5-14", "bytes 5-14/1000", file[5:15]},
		{"more than there is", "/file", "bytes=995-2000", "bytes 995-999/1000", file[995:]},
		{"all of it", "/file", "", "", file},
		{"a server without parts", "/whole", "bytes=-10", "", file},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			res, err := c.Get(t.Context(), registry.Request{URL: at.Join(row.path), Range: row.span})
			if err != nil {
				t.Fatal(err)
			}
			if res.Part != row.part || !bytes.Equal(res.Body, row.body) {
				t.Errorf("part %q of %d bytes, want %q of %d", res.Part, len(res.Body), row.part, len(row.body))
			}
		})
	}
	var status *registry.StatusError
	_, err = c.Get(t.Context(), registry.Request{URL: at.Join("/file"), Range: "bytes=5000-"})
	if !errors.As(err, &status) || status.Status != http.StatusRequestedRangeNotSatisfiable {
		t.Errorf("a part behind the end: %v", err)
	}
	if _, err = c.Get(t.Context(), registry.Request{URL: at.Join("/unasked")}); !errors.As(err, &status) {
		t.Errorf("a part that was not asked for: %v, want an error: it would pass for the whole", err)
	}
	_, err = c.Get(t.Context(), registry.Request{URL: at.Join("/file"), Range: "bytes=-10", ETag: `"1"`})
	if !errors.Is(err, registry.ErrNotModified) {
		t.Errorf("a part of what did not change: %v", err)
	}
	_, err = c.Get(t.Context(), registry.Request{URL: at.Join("/file"), Range: "bytes=0-99", MaxBody: 50})
	if !errors.Is(err, registry.ErrTooLarge) {
		t.Errorf("a part that is too large: %v", err)
	}
}
