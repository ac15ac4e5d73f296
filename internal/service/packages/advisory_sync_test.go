package packages_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/packages"
)

// record is an OSV record of the package flawed, fixed in a version.
func record(id, modified, fixed string) string {
	return strings.Replace(fmt.Sprintf(osv, modified, fixed), "PYSEC-1", id, 1)
}

// publish writes the feed of one ecosystem.
func publish(t *testing.T, folder string, records map[string]string) {
	t.Helper()
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	at := filepath.Join(folder, "PyPI")
	err := os.MkdirAll(at, 0o700)
	changes := ""
	for name, text := range records {
		part, failed := w.Create(name + ".json")
		if failed == nil {
			_, failed = part.Write([]byte(text))
		}
		_, rest, _ := strings.Cut(text, `"modified":"`)
		stamp, _, _ := strings.Cut(rest, `"`)
		changes += stamp + "," + name + "\n"
		err = errors.Join(err, failed, os.WriteFile(filepath.Join(at, name+".json"), []byte(text), 0o600))
	}
	if err = errors.Join(err, w.Close(), os.WriteFile(filepath.Join(at, "all.zip"), archive.Bytes(), 0o600),
		os.WriteFile(filepath.Join(at, "modified_id.csv"), []byte(changes), 0o600),
		os.WriteFile(filepath.Join(folder, "ecosystems.txt"), []byte("PyPI\nDebian\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// reading opens a server that reads advisories from a place.
func reading(t *testing.T, from string) *identitytest.Server {
	t.Helper()
	var s *packages.Service
	h := identitytest.SQLite(t, func(w *world.World, identity *identity.Identity) module.Module {
		c := packages.DefaultConfig()
		c.Discover, c.Advisories.From, c.SyncEvery = packages.DiscoverFalse, from, 0
		s = packages.New(w, identity, c, func(string) string { return "" })
		return s.Module()
	})
	if err := s.Put(t.Context(), flawed("1.0.0", "1.1.0", "1.5.0", "2.0.0")); err != nil {
		t.Fatal(err)
	}
	return h
}

// TestAdvisoriesAreReadAgain: the archive the first time, then what changed, from a
// folder and from an address.
func TestAdvisoriesAreReadAgain(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"folder", "address"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			from := folder
			var archives atomic.Int64
			if kind == "address" {
				files := http.FileServer(http.Dir(folder))
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if strings.HasSuffix(r.URL.Path, "all.zip") {
						archives.Add(1)
					}
					files.ServeHTTP(w, r)
				}))
				t.Cleanup(server.Close)
				from = server.URL
			}
			records := map[string]string{
				"X-1": record("X-1", "2026-01-01T00:00:00Z", "1.2"), "X-2": record("X-2", "2026-01-02T00:00:00Z", "2.0"),
			}
			publish(t, folder, records)
			h := reading(t, from)
			step := func(want string) {
				t.Helper()
				got, err := run(t, h, "packages advisories sync")
				if err != nil || !strings.Contains(fmt.Sprint(got), want) {
					t.Errorf("sync %v, %v, want %q", got, err, want)
				}
			}
			step("changed:2 ecosystem:PyPI read:2 was:read by archive")
			step("changed:0 ecosystem:PyPI read:0 was:unchanged")
			records["X-1"] = record("X-1", "2026-02-01T00:00:00Z", "1.9")
			publish(t, folder, records)
			step("changed:1 ecosystem:PyPI read:1 was:read by record")
			body := h.Call("GET", "/v3/systems/pypi/packages/flawed/versions/1.5.0", "").Body.String()
			if !strings.Contains(body, `"advisoryKeys":[{"id":"X-1"},{"id":"X-2"}]`) {
				t.Errorf("1.5.0 after the change: %s", body)
			}
			if kind == "address" && archives.Load() != 1 {
				t.Errorf("the archive was read %d times", archives.Load())
			}
		})
	}
}

// TestAdvisoriesOnSchedule: the world's clock brings the next round.
func TestAdvisoriesOnSchedule(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	publish(t, folder, map[string]string{"X-1": record("X-1", "2026-01-01T00:00:00Z", "2.0")})
	h := reading(t, folder)
	h.Clock.Advance(packages.DefaultConfig().Advisories.Every + time.Minute)
	if err := h.World.Jobs.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if w := h.Call("GET", "/v3/advisories/X-1", ""); w.Code != http.StatusOK {
		t.Errorf("after a round: %d %s", w.Code, w.Body)
	}
}

// TestBadRecords: a record that cannot be read is told and passed over.
func TestBadRecords(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	publish(t, folder, map[string]string{"X-1": record("X-1", "2026-01-01T00:00:00Z", "2.0"), "bad": "{"})
	h := reading(t, "")
	name := filepath.Join(folder, "PyPI", "all.zip")
	if _, err := run(t, h, "packages advisories import", "--strict", name); err == nil ||
		!strings.Contains(err.Error(), "bad.json") {
		t.Errorf("strict: %v", err)
	}
	got, err := run(t, h, "packages advisories import", name)
	text := fmt.Sprint(got)
	if err != nil || !strings.Contains(text, "record:bad.json") || !strings.Contains(text, "read:1 skipped:1") {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := run(t, h, "packages advisories sync"); err == nil ||
		!strings.Contains(err.Error(), "no source of advisories") {
		t.Errorf("sync without a source: %v", err)
	}
}
