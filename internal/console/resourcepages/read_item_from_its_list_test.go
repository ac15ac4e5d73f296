package resourcepages_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/console/resourcepages"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/route"
)

// pagedThings answers a list in pages of two, however a page is asked for.
func pagedThings(w http.ResponseWriter, r *http.Request, all int) {
	query := r.URL.Query()
	from := 0
	for name, begin := range map[string]func(n int) int{
		"token": func(n int) int { return n }, "offset": func(n int) int { return n },
		"after": func(n int) int { return n + 1 },
		"page":  func(n int) int { return (n - 1) * 2 }, "zero": func(n int) int { return n * 2 },
	} {
		if n, err := strconv.Atoi(query.Get(name)); err == nil {
			from = begin(n)
		}
	}
	to := min(from+2, all)
	answer := map[string]any{"last": to == all}
	if to < all {
		answer["next"] = strconv.Itoa(to)
		w.Header().Set("Link", `<x>; rel="next"`)
	}
	var items []any
	for n := from; n < to; n++ {
		items = append(items, map[string]any{"id": strconv.Itoa(n), "title": fmt.Sprint("thing number ", n)})
	}
	answer["items"] = items
	_ = json.NewEncoder(w).Encode(answer) // a recorder takes everything
}

// pagings are the ways in which lists of things go on, with the page that begins with a thing.
func pagings() map[string]struct {
	resource.Paging
	page func(n int) int
} {
	type paging = struct {
		resource.Paging
		page func(n int) int
	}
	at, before := func(n int) int { return n }, func(n int) int { return n - 1 }
	return map[string]paging{
		"token":  {resource.Paging{Token: "token", Next: "/next"}, at},
		"number": {resource.Paging{Number: "page", Size: "per_page", Per: 2}, func(n int) int { return n/2 + 1 }},
		"last":   {resource.Paging{Number: "zero", Last: "/last", Size: "size", Per: 2}, func(n int) int { return n / 2 }},
		"offset": {resource.Paging{Offset: "offset", Size: "limit", Per: 2}, at},
		"after":  {resource.Paging{After: "after", Size: "limit", Per: 2}, before},
	}
}

// openPaged makes pages about a list of so many things.
func openPaged(t *testing.T, paging resource.Paging, all int) *resourcepages.Pages {
	t.Helper()
	m := module.Module{
		Name: "things", Title: "Things",
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { pagedThings(w, r, all) }),
		Routes:  []route.Route{{Method: "GET", Pattern: "/things", Name: "list"}},
		Resources: []resource.Resource{{
			Name: "paged", Title: "Paged", Label: "/title", Items: "/items", List: resource.Call{Operation: "list"},
			Key: []resource.Key{{Parameter: "id", Pointer: "/id"}}, Paging: paging,
			Columns: []resource.Column{{Title: "Title", Pointer: "/title"}},
		}},
	}
	return resourcepages.New(resourcepages.Options{
		Modules: []module.Module{m}, Dir: t.TempDir(), Commands: func() []module.Command { return nil },
		Credential: func(u identity.User, service string) string { return u.Name + " at " + service },
		Clock:      clock.NewVirtual(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)),
		URL:        func(context.Context) string { return "http://stoa.test" },
	})
}

var itemLink = regexp.MustCompile(`/console/data/things/paged/item\?([^"]+)`)

// TestItemsOfALongList: a row leads to the page of its thing, however far down the list it stands.
func TestItemsOfALongList(t *testing.T) {
	t.Parallel()
	for name, paging := range pagings() {
		p := openPaged(t, paging.Paging, 1001)
		list, err := p.List(visit("console_page="+strconv.Itoa(paging.page(900)), "paged", "", nil))
		if err != nil {
			t.Fatal(err)
		}
		link := itemLink.FindStringSubmatch(string(list.HTML))
		if link == nil {
			t.Fatalf("%s: no row in\n%s", name, list.HTML)
		}
		query := html.UnescapeString(link[1])
		for _, row := range []struct{ query, want string }{
			{query, "thing number 900"}, {strings.Replace(query, "id=900", "id=3", 1), "thing number 3"},
			{"id=900", "not found in the first"},
		} {
			page, err := p.Item(visit(row.query, "paged", "", url.Values{}))
			if err != nil || !strings.Contains(string(page.HTML), row.want) {
				t.Errorf("%s, %s: %v, want %q in\n%.600s", name, row.query, err, row.want, page.HTML)
			}
		}
	}
}

// TestItemIsFoundOnAnyPage: a thing without a call of its own has a page wherever in the list it is.
func TestItemIsFoundOnAnyPage(t *testing.T) {
	t.Parallel()
	for name, paging := range pagings() {
		p := openPaged(t, paging.Paging, 7)
		for id, want := range map[string]string{"0": "thing number 0", "6": "thing number 6", "7": "There is no such entry"} {
			page, err := p.Item(visit("id="+id, "paged", "", url.Values{}))
			if err != nil || !strings.Contains(string(page.HTML), want) {
				t.Errorf("%s, %s: %v, want %q in\n%.600s", name, id, err, want, page.HTML)
			}
		}
	}
}
