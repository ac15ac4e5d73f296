package lab_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"html"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write docs/lab-stories.md")

// story makes a world in which a client is tried, on a clock that only the client's pauses move.
func story(t *testing.T) *world {
	t.Helper()
	return open(t, t.TempDir()).create(t, `{"seed":7,"clock":{"mode":"frozen","now":"2026-03-01T09:00:00Z"}}`)
}

// sleep moves the clock of the world for a client that would wait.
func (w *world) sleep(t *testing.T) func(time.Duration) {
	return func(d time.Duration) {
		t.Helper()
		w.move(t, "advance", `{"by":"`+d.String()+`"}`)
	}
}

// newRequest asks for a resource with the demo's token.
func (w *world) newRequest(t *testing.T, path string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.Env["STOA_TOKEN"])
	return r
}

// poster sends forms to the world.
func (w *world) poster(t *testing.T) poster {
	return func(path string, form url.Values) map[string]any {
		t.Helper()
		return w.ask(t, http.MethodPost, path, "-", form.Encode()).object(t)
	}
}

// expect fails unless the requests of the world are as the expectation says.
func (w *world) expect(t *testing.T, expectation string) {
	t.Helper()
	a := w.control.call(t, http.MethodPost, w.path()+"/expect", expectation).want(t, http.StatusOK)
	if verdict := a.object(t); verdict["pass"] != true {
		t.Errorf("%s: %v", expectation, verdict["message"])
	}
}

// wellBehaved fails unless the report on the client's conduct is clean.
func (w *world) wellBehaved(t *testing.T) {
	t.Helper()
	a := w.control.call(t, http.MethodGet, w.path()+"/conduct", "").want(t, http.StatusOK)
	if a.object(t)["clean"] != true {
		t.Errorf("the conduct is not clean: %v", a)
	}
}

// user signs in at the device page in a browser, types the code and decides; without a decision the user never comes.
func (w *world) user(t *testing.T, decision string) func(code string) {
	return func(code string) {
		t.Helper()
		if decision == "" {
			return
		}
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		browser := &http.Client{Jar: jar, Transport: w.control.http.Transport}
		page := w.submit(t, browser, "", nil)
		page = w.submit(t, browser, page, url.Values{"name": {w.Env["STOA_USER"]}, "password": {w.Env["STOA_PASSWORD"]}})
		page = w.submit(t, browser, page, url.Values{"user_code": {code}})
		w.submit(t, browser, page, url.Values{"decision": {decision}})
	}
}

// submit fills in the form of a page and returns the next page. Without a page it opens the device page.
func (w *world) submit(t *testing.T, browser *http.Client, page string, fields url.Values) string {
	t.Helper()
	method, path := http.MethodGet, "/device"
	if fields != nil {
		form := regexp.MustCompile(`(?s)<main.*<form method="post" action="([^"]*)">(.*?)</form>`).FindStringSubmatch(page)
		if form == nil {
			t.Fatalf("there is no form in %s", page)
		}
		hidden := regexp.MustCompile(`<input type="hidden" name="([a-z_]+)"(?: autocomplete="[a-z]+")? value="([^"]*)">`)
		for _, field := range hidden.FindAllStringSubmatch(form[2], -1) {
			if !fields.Has(field[1]) {
				fields.Set(field[1], html.UnescapeString(field[2]))
			}
		}
		method, path = http.MethodPost, html.UnescapeString(form[1])
	}
	r, err := http.NewRequestWithContext(t.Context(), method, w.URL+path, strings.NewReader(fields.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	next, err := do(browser, r)
	if err != nil {
		t.Fatal(err)
	}
	return string(next.want(t, http.StatusOK).body)
}

// maxClientLines is how long the client of a story may be.
const maxClientLines = 20

// TestStoriesPage checks that docs/lab-stories.md shows the stories as they are in the tests, and that each is short.
func TestStoriesPage(t *testing.T) {
	t.Parallel()
	const page, mark = "../../docs/lab-stories.md", "-update -->\n"
	old, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	intro, _, found := strings.Cut(string(old), mark)
	if !found {
		t.Fatalf("%s has no line that ends with %q", page, mark)
	}
	want := intro + mark
	for _, s := range []struct{ title, file, client, test string }{
		{"A poller and a secondary limit", "story_poller_test.go", "pollEvents", "TestStoryPoller"},
		{"A webhook consumer whose receiver fails", "story_webhook_test.go", "ServeHTTP", "TestStoryWebhook"},
		{"A login on a device", "story_login_test.go", "login", "TestStoryLogin"},
		{"An upload that is cut", "story_upload_test.go", "upload", "TestStoryUpload"},
		{"A cluster and its key plugin", "story_kms_test.go", "sealMinutely", "TestStoryKMS"},
	} {
		client, _ := function(t, s.file, s.client)
		test, about := function(t, s.file, s.test)
		if n := strings.Count(client, "\n") + 1; n >= maxClientLines {
			t.Errorf("the client %s has %d lines, want fewer than %d", s.client, n, maxClientLines)
		}
		want += fmt.Sprintf("\n## %s\n\n%s\n```go\n%s\n```\n\nThe test, in test/lab/%s:\n\n```go\n%s\n```\n",
			s.title, about, client, s.file, test)
	}
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if want != string(old) {
		t.Errorf("%s is not what the tests say: run go test ./test/lab -run TestStoriesPage -update", page)
	}
}

// function is the text of a function and its comment.
func function(t *testing.T, file, name string) (text, about string) {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == name {
			begin, end := set.Position(f.Pos()).Offset, set.Position(f.End()).Offset
			return string(bytes.TrimSpace(source[begin:end])), f.Doc.Text()
		}
	}
	t.Fatalf("%s has no function %s", file, name)
	return "", ""
}
