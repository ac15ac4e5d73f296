package web_test

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/telemetry"
	"stoa.dev/stoa/internal/service/articles/web"
)

var errGone = errors.New("gone")

// source shows one item, as often as total says.
type source struct {
	site  web.Site
	total int64
}

func (s source) Site() web.Site { return s.site }

func (s source) item() web.Item {
	return web.Item{
		Title: "<b>T</b>", Path: "/articles/ada/items/1", Author: web.User{Name: "ada", DisplayName: "Ada L."},
		CreatedAt: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), UpdatedAt: time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC),
		Tags: []string{"C#"}, HTML: "<em>x</em>", Likes: 1, Reactions: 2, Stocks: 3, Views: 4, Own: s.total == 1,
	}
}

func (s source) list() web.List { return web.List{Items: []web.Item{s.item()}, Total: s.total} }

func (s source) Search(_ context.Context, query string, _ page.Numbers) (web.List, error) {
	if query == "nothing" {
		return web.List{}, nil
	}
	list := s.list()
	list.Popular = []string{"popular"}
	return list, nil
}

func (s source) Tag(_ context.Context, name string, _ page.Numbers) (string, int64, web.List, error) {
	if name != "c#" {
		return "", 0, web.List{}, errGone
	}
	return "C#", 1, s.list(), nil
}

func (s source) User(_ context.Context, name string, _ page.Numbers) (web.User, int64, web.List, error) {
	return web.User{Name: name}, 2, s.list(), nil
}

func (s source) Item(_ context.Context, user, id string, private bool) (web.Item, []web.Comment, error) {
	if user != "ada" || id != "1" {
		return web.Item{}, nil, errGone
	}
	item := s.item()
	item.Private = private
	if private {
		return item, nil, nil
	}
	return item, []web.Comment{{ID: "9", Author: web.User{Name: "grace"}, HTML: template.HTML("<i>y</i>")}}, nil
}

// open serves the pages of a source, and counts what it released.
func open(t *testing.T, s source) (get func(path string) *httptest.ResponseRecorder, released *int) {
	t.Helper()
	released = new(int)
	show := func(make identity.PageFunc) (route.Handler, error) {
		return func(w http.ResponseWriter, r *route.Request) error {
			p, err := make(r, nil)
			if err == nil {
				_, err = fmt.Fprintf(w, "%s %t\n%s", p.Title, p.Indexed, p.HTML)
			}
			return err
		}, nil
	}
	pages := web.New(show, func(*route.Request, *identity.User) (web.Source, func(), error) {
		return s, func() { *released++ }, nil
	})
	mux := route.New(route.Options{
		Service: "articles", Clock: clock.Real(), IDs: ids.Seeded(1), Telemetry: telemetry.Nop(),
		Memory: budget.New(budget.MemoryOptions(0)), Requests: budget.New(budget.RequestOptions()),
		WriteError: func(w http.ResponseWriter, _ *route.Request, err error) {
			status := http.StatusBadRequest
			if errors.Is(err, errGone) {
				status = http.StatusNotFound
			}
			w.WriteHeader(status)
		},
	}, pages.Routes())
	return func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w
	}, released
}

func TestPages(t *testing.T) {
	t.Parallel()
	public := source{web.Site{Title: "Articles", Public: true}, 41}
	team := source{web.Site{Title: "Lyceum"}, 1}
	for name, row := range map[string]struct {
		source source
		path   string
		want   int
		has    []string
		hasNot string
	}{
		"root": {public, "/", 200, []string{"Articles true", "/articles/tags/popular", "?page=2"},
			"rel=\"prev\""},
		"home": {public, "/articles", 200, []string{"<h1>Articles</h1>", "&lt;b&gt;T&lt;/b&gt;", "1 like"},
			"reaction"},
		"page 2":    {public, "/articles?page=2", 200, []string{"?page=1", "?page=3", "Ada L."}, ""},
		"page 3":    {public, "/articles?page=3", 200, []string{"?page=2"}, "rel=\"next\""},
		"page 0":    {public, "/articles?page=0", 400, nil, ""},
		"page 101":  {public, "/articles?page=101", 400, nil, ""},
		"search":    {public, "/articles?query=+x+", 200, []string{"x false", "41 articles", `value="x"`}, ""},
		"no result": {public, "/articles?query=nothing", 200, []string{"Nothing was found", "0 articles"}, "<li>"},
		"tag": {public, "/articles/tags/c%23", 200, []string{"C# true", "1 follower<", "/articles/tags/C%23"},
			""},
		"no tag": {public, "/articles/tags/x", 404, nil, ""},
		"user":   {public, "/articles/ada", 200, []string{"<h1>ada</h1>", "@ada · 2 followers"}, ""},
		"item": {public, "/articles/ada/items/1", 200,
			[]string{"<em>x</em>", "4 March 2026", "changed 5 March"}, "view"},
		"comment": {public, "/articles/ada/items/1", 200, []string{`id="comment-9"`, "grace", "<i>y</i>"},
			"No comments"},
		"no item": {public, "/articles/ada/items/2", 404, nil, ""},
		"private": {public, "/articles/ada/private/1", 200,
			[]string{"for those who know the address", "T</b> false", "No comments"}, ""},
		"no page":    {public, "/articles/a/b/c", 400, nil, ""},
		"team":       {team, "/articles", 200, []string{"Lyceum false", "2 reactions", "3 bookmarks", "4 views"}, "like"},
		"a team tag": {team, "/articles/tags/c%23", 200, []string{"C# false"}, "?page="},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			get, released := open(t, row.source)
			w := get(row.path)
			if w.Code != row.want {
				t.Fatalf("%d %s, want %d", w.Code, w.Body, row.want)
			}
			for _, text := range row.has {
				if !strings.Contains(w.Body.String(), text) {
					t.Errorf("no %q in %s", text, w.Body)
				}
			}
			if row.hasNot != "" && strings.Contains(w.Body.String(), row.hasNot) {
				t.Errorf("%q in %s", row.hasNot, w.Body)
			}
			if name != "no page" && *released != 1 {
				t.Errorf("released %d times, want once", *released)
			}
		})
	}
}
