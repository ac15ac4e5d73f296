package resourcepages_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"stoa.dev/stoa/internal/console/resourcepages"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/route"
)

// zoned is a calendar in Athens with a talk at 19:00 there.
type zoned struct{ sent string }

func (z *zoned) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/calendars/c1":
		fmt.Fprint(w, `{"id":"c1","summary":"Talks","timeZone":"Europe/Athens"}`)
	default:
		if r.URL.Query().Get("q") == "nothing" {
			fmt.Fprint(w, `{"items":[]}`)
			return
		}
		body := make([]byte, 1000)
		n, _ := r.Body.Read(body) // what is sent is short
		z.sent = string(body[:n])
		fmt.Fprint(w, `{"id":"e1","items":[{"id":"e1","summary":"A talk","start":{"dateTime":"2026-03-04T17:00:00Z"},`+
			`"end":{"dateTime":"2026-03-04T22:30:00Z"}}]}`)
	}
}

func openZoned() (*resourcepages.Pages, *zoned) {
	service := &zoned{}
	m := module.Module{
		Name: "things", Title: "Things", Handler: service, Routes: []route.Route{
			{Method: "GET", Pattern: "/calendars", Name: "calendars"},
			{Method: "GET", Pattern: "/calendars/{id}", Name: "calendar"},
			{Method: "GET", Pattern: "/events", Name: "events"}, {Method: "POST", Pattern: "/events", Name: "add"},
		},
		Resources: []resource.Resource{
			{Name: "calendars", Title: "Calendars", Key: []resource.Key{{Parameter: "id", Pointer: "/id"}}, Label: "/summary",
				NamesInner: true, List: resource.Call{Operation: "calendars"}, Get: resource.Call{Operation: "calendar"}},
			{Name: "events", Title: "Events", In: "calendars", List: resource.Call{Operation: "events"}, Items: "/items",
				Calendar: &resource.Calendar{Title: "/summary", Start: []string{"/start/dateTime"}, End: []string{"/end/dateTime"},
					After: "after", Before: "before", Zone: "/timeZone"},
				Empty: "None. Add one.", Filters: []resource.Field{{Name: "q", Title: "Text"},
					{Name: "from", Title: "From", Kind: resource.Time, Default: "now-720h"},
					{Name: "until", Title: "Until", Kind: resource.Time, Default: "now+2160h"}},
				Columns: []resource.Column{{Title: "Title", Pointer: "/summary"},
					{Title: "Start", Pointer: "/start/dateTime", Kind: resource.Time}},
				Actions: []resource.Action{{Name: "add", Title: "Add", Call: resource.Call{Operation: "add"},
					Fields: []resource.Field{{Name: "start", Title: "Start", Kind: resource.Time, Default: "now+1h"}}}}},
		},
	}
	return resourcepages.New(resourcepages.Options{
		Modules: []module.Module{m}, Commands: func() []module.Command { return nil },
		Credential: func(identity.User, string) string { return "" },
		Clock:      clock.NewVirtual(time.Date(2026, 3, 4, 12, 20, 5, 0, time.UTC)),
		URL:        func(context.Context) string { return "http://stoa.test" },
	}), service
}

// TestEmptyLists: an empty list says what was asked for, and leads to everything.
func TestEmptyLists(t *testing.T) {
	t.Parallel()
	p, _ := openZoned()
	page, err := p.List(visit("id=c1&q=nothing", "events", "", nil))
	wantParts(t, page, err, "No events from 2 February 2026 14:00 until 2 June 2026 15:00 with text “nothing”.",
		`/console/data/things/events?console_all=yes&amp;id=c1`)
	wantParts(t, page, err, `<a href="/docs/services/things">How to use Things</a>`)
	page, err = p.List(visit("id=c1&console_all=yes", "events", "", nil))
	wantParts(t, page, err, "A talk", `name="from" value=""`)
}

// TestOneZone: a list, a month and a form of a calendar show its own zone, and say so.
func TestOneZone(t *testing.T) {
	t.Parallel()
	p, service := openZoned()
	page, err := p.List(visit("id=c1", "events", "", nil))
	wantParts(t, page, err, "Times are in Europe/Athens", "<span>19:00:00 EET</span>", ">Talks</a>")
	page, err = p.List(visit("id=c1&console_view=month", "events", "", nil))
	// It ends at half past midnight there, so that it touches two days.
	wantParts(t, page, err, "Times are in Europe/Athens", "<time>19:00</time> A talk",
		`<span class="daynumber">5</span><a class="event"`)
	page, err = p.Form(visit("id=c1", "events", "add", nil))
	wantParts(t, page, err, `<span class="hint">Europe/Athens</span>`, `value="2026-03-04T15:00"`)
	_, err = p.Do(visit("id=c1", "events", "add", url.Values{"f:start": {"2026-03-05T10:00"}}))
	if want := `{"start":"2026-03-05T10:00:00+02:00"}`; err != nil || service.sent != want {
		t.Errorf("sent %s, %v, want %s", service.sent, err, want)
	}
}
