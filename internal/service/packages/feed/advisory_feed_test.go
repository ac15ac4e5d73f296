package feed_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/feed"
)

const changes = "2026-03-01T00:00:00Z,A-3\n2026-02-01T00:00:00.5Z,A-2\n2026-01-01T00:00:00Z,A-1\n"

// archive is longer than what is asked for at a time.
var archive = bytes.Repeat([]byte("0123456789abcdef"), 10<<20/16)

// published writes a feed of one ecosystem to a folder.
func published(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string][]byte{
		"ecosystems.txt": []byte("npm\nDebian:12\n../up\n"), "npm/modified_id.csv": []byte(changes),
		"npm/A-2.json": []byte(`{"id":"A-2"}`), "npm/all.zip": archive,
	} {
		at := filepath.Join(folder, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, text, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// both runs a test on a feed at an address and one in a folder.
func both(t *testing.T, fn func(t *testing.T, f *feed.Feed, folder string)) {
	t.Helper()
	t.Run("address", func(t *testing.T) {
		t.Parallel()
		folder := published(t)
		files := http.FileServer(http.Dir(folder))
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(r.URL.Path))); err == nil {
				w.Header().Set("ETag", fmt.Sprintf(`"%d"`, info.Size()))
			}
			files.ServeHTTP(w, r)
		}))
		t.Cleanup(server.Close)
		client := registry.NewClient(registry.ClientOptions{})
		t.Cleanup(client.Close)
		at, err := registry.NewAddress("osv", server.URL, "the test")
		if err != nil {
			t.Fatal(err)
		}
		client.Trust(at)
		fn(t, feed.At(client, at), folder)
	})
	t.Run("folder", func(t *testing.T) {
		t.Parallel()
		folder := published(t)
		fn(t, feed.In(folder), folder)
	})
}

func TestFeed(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *feed.Feed, folder string) {
		names, err := f.Ecosystems(t.Context())
		all := strings.Join(names, " ")
		if err != nil || !strings.Contains(all, "npm") || strings.Contains(all, "up") {
			t.Errorf("ecosystems %q, %v", names, err)
		}
		ids, newest, err := f.Changes(t.Context(), "npm", time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
		if err != nil || strings.Join(ids, " ") != "A-3 A-2" || !newest.Equal(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)) {
			t.Errorf("changes %q until %s, %v", ids, newest, err)
		}
		if text, err := f.Record(t.Context(), "npm", "A-2"); err != nil || string(text) != `{"id":"A-2"}` {
			t.Errorf("record %q, %v", text, err)
		}
		if _, err := f.Record(t.Context(), "npm", "A-9"); !errors.Is(err, registry.ErrNotFound) {
			t.Errorf("a record that is not there: %v", err)
		}
		if _, _, err := f.Changes(t.Context(), "PyPI", time.Time{}); !errors.Is(err, registry.ErrNotFound) {
			t.Errorf("changes that are not there: %v", err)
		}
		state, got := archived(t, f, "")
		if !bytes.Equal(got, archive) {
			t.Errorf("%d bytes of the archive, want %d", len(got), len(archive))
		}
		if _, err := f.Archive(t.Context(), "npm", state, discard{}); !errors.Is(err, registry.ErrNotModified) {
			t.Errorf("an archive that did not change: %v", err)
		}
		more := append(bytes.Clone(archive), "more"...)
		if err := os.WriteFile(filepath.Join(folder, "npm", "all.zip"), more, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, got = archived(t, f, state); !bytes.Equal(got, more) {
			t.Errorf("%d bytes of the new archive, want %d", len(got), len(more))
		}
	})
}

func archived(t *testing.T, f *feed.Feed, state string) (string, []byte) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "all.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	state, err = f.Archive(t.Context(), "npm", state, file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return state, got
}

type discard struct{}

func (discard) WriteAt(b []byte, _ int64) (int, error) { return len(b), nil }

func TestChangesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *feed.Feed, folder string) {
		for _, text := range []string{
			"yesterday,A-1\n", "2026-01-01T00:00:00Z,../../A-1\n", "2026-01-01T00:00:00Z\n",
			strings.Repeat("x", 100_000) + "\n2026-01-01T00:00:00Z,A-1\n",
		} {
			if err := os.WriteFile(filepath.Join(folder, "npm", "modified_id.csv"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			ids, _, err := f.Changes(t.Context(), "npm", time.Time{})
			if err == nil || !strings.Contains(err.Error(), "line 1") {
				t.Errorf("%q: %q, %v, want an error with the line", text, ids, err)
			}
		}
	})
}

// parts answers every request with the same part.
type parts struct{ part string }

func (p parts) Get(context.Context, registry.Request) (*registry.Response, error) {
	return &registry.Response{Body: []byte("x"), Part: p.part, ETag: "1"}, nil
}

func TestPartsThatWereNotAskedFor(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"bytes 5-5/9", "bytes 0-7/9", "bytes */9", "bytes 0-0/99999999999999", "items 0-0/9"} {
		f := feed.At(parts{part}, registry.Address{URL: "http://x.example"})
		if _, err := f.Archive(t.Context(), "npm", "", discard{}); err == nil {
			t.Errorf("%q was taken", part)
		}
	}
}
