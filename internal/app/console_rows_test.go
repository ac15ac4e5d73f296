package app_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app/demo"
	"stoa.dev/stoa/internal/console/administration"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/resource"
)

var (
	rowOf    = regexp.MustCompile(`(?s)<tr><th scope="row"><a href="([^"]+)".*?</tr>`)
	cellIn   = regexp.MustCompile(`(?s)<td data-title="([^"]*)">(.*?)</td>`)
	memberIn = regexp.MustCompile(`(?s)<div><dt>([^<]*)</dt><dd>(.*?)</dd></div>`)
	anyTag   = regexp.MustCompile(`<[^>]*>`)
)

// shownIn are the values of a page by title; those that are not there are empty.
func shownIn(cells *regexp.Regexp, text string) map[string]string {
	out := map[string]string{}
	for _, found := range cells.FindAllStringSubmatch(text, -1) {
		value := strings.TrimSpace(html.UnescapeString(anyTag.ReplaceAllString(found[2], "")))
		if value == "–" {
			value = ""
		}
		out[html.UnescapeString(found[1])] = value
	}
	return out
}

// TestListsAgreeWithItems: what a list shows about a thing and what the thing's own page
// shows is the same, for every resource of a demo. A value that only one of the answers
// has is a column of that page alone.
func TestListsAgreeWithItems(t *testing.T) {
	c := config(t)
	a := start(t, c, true)
	env, err := demo.ReadEnv(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	b := signInWith(t, a, env["STOA_USER"], env["STOA_PASSWORD"])
	compared := 0
	for _, m := range append(a.Modules(), administration.Module()) {
		for _, r := range m.Resources {
			if r.In == "" {
				b.compare(m, r, "/console/data/"+m.Name+"/"+r.Name, &compared)
			}
		}
	}
	if compared < 100 {
		t.Errorf("%d values were compared, want at least 100: the pages or the reader changed", compared)
	}
}

// rowNow are the values of the row with that address, when the list is read once more.
func (b *reader) rowNow(list, address string) map[string]string {
	_, text := b.get(list)
	for _, row := range rowOf.FindAllStringSubmatch(text, -1) {
		if row[1] == address {
			return shownIn(cellIn, row[0])
		}
	}
	return nil
}

// maxCompared is how many rows of a list are compared with their pages.
const maxCompared = 3

func (b *reader) compare(m module.Module, r resource.Resource, list string, compared *int) {
	b.t.Helper()
	_, text := b.get(list)
	for n, row := range rowOf.FindAllStringSubmatch(text, -1) {
		address := html.UnescapeString(row[1])
		status, page := b.get(address)
		if status == http.StatusTooManyRequests {
			return // the service's limit for users
		}
		if status != http.StatusOK {
			b.t.Errorf("%s leads to %s: %d", list, address, status)
			continue
		}
		if n >= maxCompared {
			continue
		}
		have, want := shownIn(memberIn, page), shownIn(cellIn, row[0])
		for title, value := range want {
			of, shown := have[title]
			if !shown {
				continue
			}
			*compared++
			// A build of the demo world may have ended between the two pages.
			if (value == "") != (of == "") && (b.rowNow(list, row[1])[title] == "") != (of == "") {
				b.t.Errorf("%s %s: the list says %q and the page of %s %q", m.Name, title, value, address, of)
			}
		}
		for title, value := range have {
			if strings.HasPrefix(value, "{") {
				b.t.Errorf("%s %s: the page of %s shows %s", m.Name, title, address, value)
			}
		}
		for _, inner := range m.Resources {
			link := regexp.MustCompile(`<a href="(/console/data/` + m.Name + `/` + inner.Name + `\?[^"]*)"`).FindStringSubmatch(page)
			if inner.In == r.Name && link != nil {
				b.compare(m, inner, html.UnescapeString(link[1]), compared)
			}
		}
	}
}
