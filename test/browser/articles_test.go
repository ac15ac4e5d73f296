package browser_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/test/program"
)

// readArticles opens the articles' pages, on a phone and on a desktop, in light and
// dark.
func (s *server) readArticles(t *testing.T) {
	for _, size := range screens() {
		t.Run(size.name, func(t *testing.T) {
			b := s.newTab(t, size)
			b.open("/articles")
			b.wantText("Articles", "Writing articles in the stoa", "Ada", "1 like")
			b.checkStaticPage("articles-home")
			b.press(".articles h2 a")
			b.wantText("greet.go", "Something to mind", "Grace", "🎉", "Comments")
			b.checkStaticPage("articles-item")
			b.press(".byline a")
			b.wantText("@ada · 1 follower", "2 articles")
			b.checkStaticPage("articles-user")
			b.press(".tags a")
			b.wantText("1 article")
			b.checkStaticPage("articles-tag")
			b.open("/articles?query=" + "%E6%A4%9C%E7%B4%A2")
			b.wantText("日本語の記事を検索する", "1 article")
			b.checkStaticPage("articles-search")
			b.open("/articles/unknown/items/00000000000000000000")
			b.wantText("Not found")
			b.checkStaticPage("articles-missing")
		})
	}
	t.Run("team", func(t *testing.T) {
		size := screens()[0]
		team := strings.Replace(s.url, "127.0.0.1", s.env["STOA_TEAM"]+".localhost", 1)
		b := newTab(t, size, team)
		b.open("/")
		b.wantText("Sign in")
		b.fill("name", s.env["STOA_USER"])
		b.fill("password", s.env["STOA_PASSWORD"])
		b.press("main button")
		b.wantText("Lyceum", "Plans for the north wing")
		b.checkStaticPage("articles-team")
		b.press(".articles h2 a")
		b.wantText("Only members of the team read this", "1 reaction")
		b.checkStaticPage("articles-team-item")
	})
}

// nothingExecutes publishes every known way to smuggle a script into an article, and
// shows the rendered text in a page that would let scripts run.
func (s *server) nothingExecutes(t *testing.T) {
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "internal", "service", "articles", "markdown", "testdata", "xss.txt"))
	if err != nil {
		t.Fatal(err)
	}
	payloads := strings.Split(strings.TrimSpace(string(text)), "\n%\n")
	if len(payloads) < 150 {
		t.Fatalf("%d payloads, want 150 at least", len(payloads))
	}
	var page strings.Builder
	page.WriteString(`<!doctype html><meta charset="utf-8"><script>
		window.hits = [];
		for (const name of ['alert', 'confirm', 'prompt', 'eval', 'print', 'open'])
			window[name] = x => window.hits.push(name + ' ' + x);
	</script><body>`)
	var last string
	for _, p := range payloads {
		last = s.publish(t, p)
		page.WriteString("<section>" + s.rendered(t, last) + "</section>\n")
	}
	trap := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/" {
			_, _ = io.WriteString(w, page.String())
		}
	}))
	defer trap.Close()
	b := newTab(t, screens()[1], trap.URL)
	b.open("/")
	// Everything that waits for the pointer, the focus or an end is tried.
	evaluate[string](b, `(() => { for (const e of document.querySelectorAll('section *')) {
		for (const kind of ['click', 'mouseover', 'focus', 'toggle', 'animationend', 'load', 'error', 'pointerover',
			'wheel', 'input'])
			if (!(kind === 'click' && (e.closest('a') || e.tagName === 'A'))) e.dispatchEvent(new Event(kind));
	} return 'done' })()`)
	if hits := evaluate[[]string](b, `window.hits`); len(hits) != 0 {
		t.Errorf("scripts ran: %q", hits)
	}
	const bad = `[...document.querySelectorAll('section *')].filter(e =>
		/^(script|iframe|object|embed|svg|math|style|link|meta|base|form|template|frame|applet)$/i.test(e.tagName)
		|| [...e.attributes].some(a => /^on/i.test(a.name) || a.name === 'style' || a.name === 'srcdoc'
			|| (/^(href|src|action|formaction|background|data|poster|cite|longdesc)$/i.test(a.name)
				&& /^\s*(javascript|vbscript|data|file|blob)/i.test(a.value)))
		|| /^(javascript|vbscript|data):$/i.test(e.protocol || '')).map(e => e.outerHTML.slice(0, 200))`
	if found := evaluate[[]string](b, bad); len(found) != 0 {
		t.Errorf("what could run is left: %q", found)
	}
	// And once on the page itself, which shows all of the last ones safely.
	b.url = s.url
	b.open("/articles/" + s.env["STOA_USER"] + "/items/" + last)
	b.wantText("XSS")
}

func (s *server) do(t *testing.T, method, path, body string) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.env["STOA_TOKEN"])
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode > 299 {
		t.Fatalf("%s %s: %s %s %v", method, path, response.Status, text, err)
	}
	return text
}

// publish writes an article and returns its id.
func (s *server) publish(t *testing.T, text string) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"title": "XSS " + text[:min(len(text), 60)], "body": text, "tags": []any{map[string]any{"name": "xss"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var made struct{ ID string }
	if err := json.Unmarshal(s.do(t, "POST", "/api/v2/items", string(body)), &made); err != nil {
		t.Fatal(err)
	}
	return made.ID
}

func (s *server) rendered(t *testing.T, id string) string {
	t.Helper()
	var item struct {
		Rendered string `json:"rendered_body"`
	}
	if err := json.Unmarshal(s.do(t, "GET", "/api/v2/items/"+id, ""), &item); err != nil {
		t.Fatal(err)
	}
	return item.Rendered
}
