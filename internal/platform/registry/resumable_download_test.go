package registry_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"stoa.dev/stoa/internal/platform/registry"
)

// breaking serves a file, cutting the connection after every cut bytes.
func breaking(content []byte, cut int, ranges bool, asked *atomic.Int64) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		rest := content
		if from, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok && ranges {
			at, err := strconv.Atoi(strings.TrimSuffix(from, "-"))
			if err != nil || at > len(content) {
				w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
				return
			}
			rest = content[at:]
			w.Header().Set("Content-Range",
				"bytes "+strconv.Itoa(at)+"-"+strconv.Itoa(len(content)-1)+"/"+strconv.Itoa(len(content)))
			w.Header().Set("Content-Length", strconv.Itoa(len(rest)))
			w.WriteHeader(http.StatusPartialContent)
		} else {
			w.Header().Set("Content-Length", strconv.Itoa(len(rest)))
		}
		if cut > 0 && len(rest) > cut {
			_, _ = w.Write(rest[:cut])
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write(rest)
	}
}

func TestDownload(t *testing.T) {
	t.Parallel()
	content := []byte(strings.Repeat("0123456789abcdef", 8<<10))
	sum := sha256.Sum256(content)
	good := hex.EncodeToString(sum[:])
	for _, row := range []struct {
		name   string
		cut    int
		ranges bool
		before int // bytes of an earlier try
		hash   string
		size   int
		want   error
		asked  int64
	}{
		{"at once", 0, true, 0, good, len(content), nil, 1},
		{"cut again and again", 20_000, true, 0, good, len(content), nil, 7},
		{"goes on after a restart", 0, true, 100_000, good, len(content), nil, 1},
		{"was whole already", 0, true, len(content), good, len(content), nil, 0},
		{"a server without ranges", 0, false, 100_000, good, len(content), nil, 1},
		{"another file", 0, true, 0, strings.Repeat("0", 64), len(content), registry.ErrHash, 1},
		{"too long", 0, true, 0, good, len(content) - 1, registry.ErrTooLarge, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			server := httptest.NewServer(breaking(content, row.cut, row.ranges, &asked))
			defer server.Close()
			c := trusted(t, server, registry.ClientOptions{})
			path := filepath.Join(t.TempDir(), "file")
			if row.before > 0 {
				write(t, path+".part", content[:row.before])
			}
			var last int64
			err := c.Download(context.Background(), registry.Download{
				URL: server.URL + "/file", Path: path, Size: int64(row.size), SHA256: row.hash,
				Progress: func(done, _ int64) { last = done },
			})
			if !errors.Is(err, row.want) || (row.want == nil) != (err == nil) {
				t.Fatalf("err = %v, want %v", err, row.want)
			}
			if got := asked.Load(); got != row.asked {
				t.Errorf("asked %d times, want %d", got, row.asked)
			}
			if row.want != nil {
				if _, err := os.Stat(path); err == nil {
					t.Error("a wrong file is in place")
				}
				return
			}
			got, err := os.ReadFile(path)
			if err != nil || string(got) != string(content) {
				t.Fatalf("%d bytes in place (%v), want %d", len(got), err, len(content))
			}
			if row.asked > 0 && last != int64(len(content)) {
				t.Errorf("progress ended at %d, want %d", last, len(content))
			}
			if _, err := os.Stat(path + ".part"); err == nil {
				t.Error("the part is left behind")
			}
		})
	}
}
