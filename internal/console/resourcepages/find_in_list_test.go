package resourcepages_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
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

// pagedThings answers a list of seven in pages of two, however a page is asked for.
func pagedThings(w http.ResponseWriter, r *http.Request) {
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
	to := min(from+2, 7)
	answer := map[string]any{"last": to == 7}
	if to < 7 {
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

// TestItemIsFoundOnAnyPage: a thing without a call of its own has a page wherever in the list it is.
func TestItemIsFoundOnAnyPage(t *testing.T) {
	t.Parallel()
	for name, paging := range map[string]resource.Paging{
		"token":  {Token: "token", Next: "/next"},
		"number": {Number: "page", Size: "per_page", Per: 2},
		"last":   {Number: "zero", Last: "/last", Size: "size", Per: 2},
		"offset": {Offset: "offset", Size: "limit", Per: 2},
		"after":  {After: "after", Size: "limit", Per: 2},
	} {
		m := module.Module{
			Name: "things", Title: "Things", Handler: http.HandlerFunc(pagedThings),
			Routes: []route.Route{{Method: "GET", Pattern: "/things", Name: "list"}},
			Resources: []resource.Resource{{
				Name: "paged", Title: "Paged", Label: "/title", Items: "/items", List: resource.Call{Operation: "list"},
				Key: []resource.Key{{Parameter: "id", Pointer: "/id"}}, Paging: paging,
				Columns: []resource.Column{{Title: "Title", Pointer: "/title"}},
			}},
		}
		p := resourcepages.New(resourcepages.Options{
			Modules: []module.Module{m}, Dir: t.TempDir(), Commands: func() []module.Command { return nil },
			Credential: func(u identity.User, service string) string { return u.Name + " at " + service },
			Clock:      clock.NewVirtual(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)),
			URL:        func(context.Context) string { return "http://stoa.test" },
		})
		for id, want := range map[string]string{"0": "thing number 0", "6": "thing number 6", "7": "There is no such entry"} {
			page, err := p.Item(visit("id="+id, "paged", "", url.Values{}))
			if err != nil || !strings.Contains(string(page.HTML), want) {
				t.Errorf("%s, %s: %v, want %q in\n%.600s", name, id, err, want, page.HTML)
			}
		}
	}
}
