package packages_test

import (
	"crypto/md5"  //nolint:gosec // one of the four digests that files are looked up by
	"crypto/sha1" //nolint:gosec // likewise
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/service/packages"
)

// TestImportsAtOnce: all of one file end well, whichever of them notes how far
// it has come, and nothing is lost or doubled.
func TestImportsAtOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *identitytest.Server, _ *packages.Service) {
		lines := []string{`{"format":"stoa packages","version":1,"packages":60}`}
		for i := range 60 {
			p := flawed("1.0.0", "2.0.0", "3.0.0")
			p.Key.Name = fmt.Sprintf("p%d", i)
			for j := range p.Versions {
				p.Versions[j].Key.Name = p.Key.Name
			}
			text, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, string(text))
		}
		file := filepath.Join(t.TempDir(), "dump.jsonl")
		write(t, file, strings.Join(lines, "\n")+"\n")
		var wait sync.WaitGroup
		for range 3 {
			wait.Go(func() {
				if got, err := run(t, h, "packages import", file); err != nil {
					t.Errorf("import %v, %v", got, err)
				}
			})
		}
		wait.Wait()
		for i := range 60 {
			w := h.Call("GET", fmt.Sprintf("/v3/systems/pypi/packages/p%d", i), "")
			if n := strings.Count(w.Body.String(), `"isDefault"`); w.Code != 200 || n != 3 {
				t.Fatalf("p%d: status %d, %d versions: %s", i, w.Code, n, w.Body)
			}
		}
	})
}

// TestLongLines: a large package of a dump is read version by version, with
// the same result as at once.
func TestLongLines(t *testing.T) {
	t.Parallel()
	h, _ := stocked(t, "")
	dir := t.TempDir()
	dump := func(name, versions string) string {
		file := filepath.Join(dir, name)
		write(t, file, `{"format":"stoa packages","version":1,"packages":1}`+"\n"+`{"key":{"system":"PYPI","name":"`+name+`"},"versions":[`+versions+`],"tag":""}`+"\n")
		return file
	}
	version := func(n int, pad int) string {
		return fmt.Sprintf(
			`{"key":{"version":"1.%d"},"complete":true,"links":[{"label":"HOMEPAGE","url":"https://x.example/%s"}]}`, n,
			strings.Repeat("x", pad))
	}
	var good []string
	for i := range 4 {
		good = append(good, version(i, 300_000))
	}
	if got, err := run(t, h, "packages import", dump("good", strings.Join(good, ","))); err != nil {
		t.Fatal(got, err)
	}
	w := h.Call("GET", "/v3/systems/pypi/packages/good/versions/1.3", "")
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"version":"1.3.0"`) || w.Body.Len() < 300_000 {
		t.Errorf("status %d, %d bytes", w.Code, w.Body.Len())
	}
	for name, versions := range map[string]string{
		"nameless": strings.Repeat("{},", 400_000) + version(1, 0),
		"vast":     version(1, 9<<20),
		"broken":   strings.Repeat(version(1, 1000)+",", 1<<10) + "{",
	} {
		if got, err := run(t, h, "packages import", "--strict", dump(name, versions)); err == nil {
			t.Errorf("%s is accepted: %v", name, got)
		}
	}
	if got, err := run(t, h, "packages import", dir); err == nil {
		t.Errorf("a folder is accepted: %v", got)
	}
}

// TestBadLines: one is reported with its number and passed over, and ends a
// strict import.
func TestBadLines(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *identitytest.Server, _ *packages.Service) {
		dir := t.TempDir()
		dump, list := filepath.Join(dir, "dump.jsonl"), filepath.Join(dir, "list")
		write(t, dump, `{"format":"stoa packages","version":1,"packages":3}
{"key":{"system":"PYPI","name":"one"},"versions":[{"key":{"version":"1.0"}}]}
{"key":{"system":"NONE","name":"two"}}
{"key":{"system":"PYPI","name":"three"},"versions":[{"key":{"version":"1.0"}}]}
`)
		write(t, list, "pkg:pypi/one@1.0\njunk\npkg:pypi/three@1.0\n")
		// The dump first: without what it brings, nothing of the list is known.
		for _, row := range []struct{ file, line string }{{dump, `"line":3,`}, {list, `"line":2,`}} {
			file, line := row.file, row.line
			if got, err := run(t, h, "packages import", "--strict", file); err == nil {
				t.Errorf("%s: a strict import is %v", file, got)
			}
			got, err := run(t, h, "packages import", file)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(got["files"])
			if err != nil || !strings.Contains(string(text), line) || !strings.Contains(string(text), `"skipped":1`) {
				t.Errorf("%s: %s, want %s", file, text, line)
			}
		}
		for _, name := range []string{"one", "three"} {
			if w := h.Call("GET", "/v3/systems/pypi/packages/"+name, ""); w.Code != 200 {
				t.Errorf("%s: %d %s", name, w.Code, w.Body)
			}
		}
	})
}

// TestImportDigests: files of versions that an operator names are found by all four
// digests, and one that is not what its registry says is told.
func TestImportDigests(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *identitytest.Server, f *fakeRegistry) {
		f.answer.Store(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, ".tgz") {
				_, _ = w.Write([]byte("content")) // the client may be gone
				return
			}
			f.good(w, r)
		})
		file := filepath.Join(t.TempDir(), "list")
		write(t, file, "pkg:npm/left@1.1.0\npkg:npm/left@1.0.0\n")
		got, err := run(t, h, "packages import", "--digests", file)
		for _, want := range []string{"versions:1", "failed:1", "SHA1 that its registry tells"} {
			if err != nil || !strings.Contains(fmt.Sprint(got), want) {
				t.Errorf("import %v, %v, want %q", got, err, want)
			}
		}
		a, b, c, d := md5.Sum([]byte("content")), sha1.Sum([]byte("content")), sha256.Sum256([]byte("content")),
			sha512.Sum512([]byte("content"))
		for kind, digest := range map[string][]byte{"MD5": a[:], "SHA1": b[:], "SHA256": c[:], "SHA512": d[:]} {
			value := url.QueryEscape(base64.StdEncoding.EncodeToString(digest))
			w := h.Call("GET", "/v3alpha/query?hash.type="+kind+"&hash.value="+value, "")
			body := w.Body.String()
			if !strings.Contains(body, `"version":"1.1.0"`) || strings.Contains(body, `"version":"1.0.0"`) {
				t.Errorf("%s: %d %s", kind, w.Code, w.Body)
			}
		}
	})
}

// A list whose packages no registry was asked about is not "missing": the import fails and
// says why.
func TestImportWithoutRegistry(t *testing.T) {
	t.Parallel()
	h, _ := stocked(t, "")
	file := filepath.Join(t.TempDir(), "list.txt")
	write(t, file, "pkg:npm/nothing-of-the-kind@1.0.0\npkg:pypi/neither@2.0.0\n")
	_, err := run(t, h, "packages import", file)
	if err == nil || !strings.Contains(err.Error(), "no registry was asked: packages.offline is set") ||
		!strings.Contains(err.Error(), "packages.registries") {
		t.Errorf("got %v, want that no registry was asked", err)
	}
}
