package manual_test

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/docs"
	"stoa.dev/stoa/internal/console/manual"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
)

type answer struct {
	Page    string `json:"p"`
	Heading string `json:"h"`
	Address string `json:"u"`
	Text    string `json:"t"`
}

// TestSearchIndex: every entry leads to a page that has its anchor, and what readers
// look for is in it.
func TestSearchIndex(t *testing.T) {
	t.Parallel()
	h := site(t)
	w := get(h, "GET", "/docs/search.json")
	var index []answer
	if err := json.Unmarshal(w.Body.Bytes(), &index); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d, %v", w.Code, err)
	}
	if w.Body.Len() > 2<<20 {
		t.Errorf("the index has %d bytes, want at most 2 MB", w.Body.Len())
	}
	bodies := map[string]string{}
	has := func(word string) bool {
		for _, a := range index {
			if strings.Contains(a.Page+a.Heading+a.Text, word) {
				return true
			}
		}
		return false
	}
	for _, a := range index {
		page, anchor, _ := strings.Cut(a.Address, "#")
		if _, read := bodies[page]; !read {
			bodies[page] = get(h, "GET", page).Body.String()
		}
		if a.Page == "" || anchor != "" && !strings.Contains(bodies[page], `id="`+anchor+`"`) {
			t.Errorf("%s: %s %s leads nowhere", a.Page, a.Heading, a.Address)
		}
	}
	for _, word := range []string{"secondary_rate_limit", "STOA_LISTEN_HTTP", "tasks.insert", "Several nodes"} {
		if !has(word) {
			t.Errorf("a search for %s finds nothing", word)
		}
	}
	if etag := w.Header().Get("ETag"); etag == "" {
		t.Error("the index has no ETag, so browsers load it again on every page")
	}
}

// TestPageFurniture: what every page offers beside its text.
func TestPageFurniture(t *testing.T) {
	t.Parallel()
	h := site(t)
	body := get(h, "GET", "/docs/services/tasks").Body.String()
	for _, want := range []string{
		`id="search"`, `rel="prev"`, `rel="next"`, `docs/services/tasks.md`, `class="anchor" href="#quick-start"`,
		`data-language="Go"`, `data-language="JavaScript"`, `data-language="Shell"`, `<span class="hs">`,
		`<a href="#errors-and-limits">`, `<div class="wide" tabindex="0"><table>`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if first := get(h, "GET", "/docs/").Body.String(); strings.Contains(first, `rel="prev"`) {
		t.Error("the first page has a previous one")
	}
}

// maxWords is what a reader finishes.
const maxWords = 1200

// writtenLine is the list of clients that a program puts on a page.
var writtenLine = regexp.MustCompile(`(?s)<!-- clients: .*?<!-- end -->`)

// TestPagesAreShort: a page that is longer is split, unless a program writes it for
// looking things up.
func TestPagesAreShort(t *testing.T) {
	t.Parallel()
	written := []string{
		"benchmarks.md", "conduct.md", "conformance.md", "console-pages.md", "faults.md", "growth.md", "mutation.md",
		"peers.md", "performance-cores.md", "reliability.md", "sdks.md", "settings.md",
	}
	err := fs.WalkDir(docs.Files(), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".md") || slices.Contains(written, file) {
			return err
		}
		text, err := fs.ReadFile(docs.Files(), file)
		own := writtenLine.ReplaceAllString(string(text), "")
		if n := len(strings.Fields(own)); n > maxWords {
			t.Errorf("docs/%s has %d words, at most %d: split it", file, n, maxWords)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestReferenceNamesFaults: an operation lists the failures that can be asked for.
func TestReferenceNamesFaults(t *testing.T) {
	t.Parallel()
	modules := []module.Module{{Name: "tasks", Title: "Task lists", Faults: []module.Fault{
		{Name: "storage_full", Status: 403, Description: "The store is full.", Operations: []string{"tasks.insert"}},
	}}}
	h := manual.New(world.Blueprint(world.Options{}), modules, "/console/style.css").Module().Handler
	body := get(h, "GET", "/docs/reference/tasks").Body.String()
	if strings.Count(body, "<code>storage_full</code>") != 1 || !strings.Contains(body, "403. The store is full.") ||
		!strings.Contains(body, "--operation tasks.insert --deed NAME") {
		t.Error("the reference does not name the fault of tasks.insert, once")
	}

	modules = []module.Module{{Name: "packages", Title: "Packages", Faults: []module.Fault{
		{Name: "slow_registry", Status: 503, Description: "It is slow.", Operations: []string{"GetPackage"}},
	}}}
	h = manual.New(world.Blueprint(world.Options{}), modules, "/console/style.css").Module().Handler
	body = get(h, "GET", "/docs/reference/packages").Body.String()
	if strings.Count(body, "<code>slow_registry</code>") != 2 {
		t.Error("the reference does not name the fault at both addresses of GetPackage")
	}
}
