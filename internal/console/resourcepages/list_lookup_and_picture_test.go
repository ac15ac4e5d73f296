package resourcepages_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
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

// drawn is a service whose rows need each other and lie on a map, and that answers
// messages; it keeps what it was sent last.
type drawn struct{ sent string }

func (d *drawn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	d.sent = string(body)
	switch r.URL.Path {
	case "/batch":
		if strings.Contains(d.sent, "broken") {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprint(w, `{"responses":[{"v":{"warn":[]}},{"v":{"warn":[{"id":"GHSA-9"}]}}]}`)
	case "/say":
		if strings.Contains(d.sent, "refused") {
			w.WriteHeader(http.StatusTooManyRequests)
		}
		fmt.Fprint(w, `{"said":[{"text":"Good <day>"}],"used":12}`)
	case "/broken":
		fmt.Fprint(w, `{"nodes":[{"key":"broken"}]}`)
	default:
		fmt.Fprint(w, `{"nodes":[{"key":"stoa","at":[38,23],"rank":2},{"key":"column","at":[38,24],"rank":30}],
			"edges":[{"from":0,"to":1}],"last":false,"end":true}`)
	}
}

func openDrawn(paging ...resource.Paging) (*resourcepages.Pages, *drawn) {
	service := &drawn{}
	list := func(name, operation string, d *resource.Drawing) resource.Resource {
		return resource.Resource{
			Name: name, Title: name, One: "a row", Empty: "None.", List: resource.Call{Operation: operation}, Items: "/nodes",
			Columns: []resource.Column{{Title: "Name", Pointer: "/key"}}, Drawing: d,
			Lookup: &resource.Lookup{
				Call: resource.Call{Operation: "batch"}, Requests: "requests", Member: "key", Row: "/key", Answers: "/responses",
				Found: resource.Column{Title: "Warnings", Pointer: "/v/warn"},
			},
		}
	}
	needs := list("needs", "list", &resource.Drawing{Title: "Needs", Needs: &resource.Needs{
		Edges: "/edges", From: "/from", To: "/to", Name: "/key", Version: "/rank", Mark: resource.Looked,
		One: "part", Many: "parts", Marked: "with a warning",
	}})
	needs.Actions = []resource.Action{{
		Name: "say", Title: "Say", Call: resource.Call{Operation: "say"},
		Fields: []resource.Field{{Name: "message", Title: "Message", Required: true}},
		Chat: &resource.Chat{
			Turns: "turns", Role: "role", Text: "parts/0/text", Asker: "user", Answerer: "model", Answer: "/said/0/text",
			Used: "/used",
		},
	}}
	m := module.Module{
		Name: "things", Title: "Things", Handler: service, Routes: []route.Route{
			{Method: "GET", Pattern: "/things", Name: "list"}, {Method: "POST", Pattern: "/batch", Name: "batch"},
			{Method: "POST", Pattern: "/say", Name: "say"}, {Method: "GET", Pattern: "/broken", Name: "broken"},
		},
		Resources: []resource.Resource{
			needs, list("broken", "broken", nil),
			list("map", "list", &resource.Drawing{Title: "Ranks", Points: &resource.Points{
				Latitude: "/at/0", Longitude: "/at/1", Value: "/rank", Good: 3, Fair: 10, End: 20,
			}}),
		},
	}
	for _, p := range paging {
		m.Resources[2].Paging = p
	}
	return resourcepages.New(resourcepages.Options{
		Modules: []module.Module{m}, Commands: func() []module.Command { return nil },
		Credential: func(identity.User, string) string { return "" },
		Clock:      clock.NewVirtual(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)),
		URL:        func(context.Context) string { return "http://stoa.test" },
	}), service
}

func visitDrawn(resourceName, action string, values url.Values) resourcepages.Visit {
	r := httptest.NewRequest(http.MethodPost, "/console/data/things/"+resourceName, nil)
	r.SetPathValue("service", "things")
	r.SetPathValue("resource", resourceName)
	r.SetPathValue("action", action)
	return resourcepages.Visit{Request: &route.Request{Request: r}, Form: "token", Values: values}
}

func wantParts(t *testing.T, page resourcepages.Page, err error, parts ...string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range parts {
		if !strings.Contains(string(page.HTML), part) {
			t.Errorf("%s lacks %q:\n%s", page.Title, part, page.HTML)
		}
	}
}

// TestDrawings: the picture stands above the rows, which have what was looked up.
func TestDrawings(t *testing.T) {
	t.Parallel()
	p, service := openDrawn()
	page, err := p.List(visitDrawn("needs", "", nil))
	wantParts(t, page, err, `<th scope="col">Warnings</th>`, `<td data-title="Warnings">GHSA-9</td>`,
		`aria-label="Needs: 2 parts, 1 requirement, 1 with a warning"`, "⚠ column", `class="edge"`)
	if want := `{"requests":[{"key":"stoa"},{"key":"column"}]}`; service.sent != want {
		t.Errorf("looked up with %s, want %s", service.sent, want)
	}
	page, err = p.List(visitDrawn("map", "", nil))
	wantParts(t, page, err, `aria-label="Ranks: 2 points, north up: 1 at 1 to 3, 0 up to 10, 0 up to 20, 1 not found"`, ">20+<")
}

// TestLookupThatFails leaves the rows and says why.
func TestLookupThatFails(t *testing.T) {
	t.Parallel()
	p, _ := openDrawn()
	page, err := p.List(visitDrawn("broken", "", nil))
	wantParts(t, page, err, `role="alert">Warnings: `, `<th scope="row">broken</th>`)
}

// TestPagesByNumberAndOffset: lists that tell of their last page, or that are asked for
// rows behind a number of others, have a way to the next page.
func TestPagesByNumberAndOffset(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		paging      resource.Paging
		query, want string
	}{
		"first":        {resource.Paging{Number: "page", Last: "/last"}, "", "console_page=1"},
		"second":       {resource.Paging{Number: "page", Last: "/last"}, "console_page=1", "console_page=2"},
		"last":         {resource.Paging{Number: "page", Last: "/end"}, "console_page=2", ""},
		"offset":       {resource.Paging{Offset: "offset", Size: "limit", Per: 2}, "", "console_page=2"},
		"offset again": {resource.Paging{Offset: "offset", Size: "limit", Per: 2}, "console_page=2", "console_page=4"},
		"offset end":   {resource.Paging{Offset: "offset", Size: "limit", Per: 3}, "", ""},
	} {
		p, _ := openDrawn(row.paging)
		v := visitDrawn("map", "", nil)
		v.Request.URL.RawQuery = row.query
		page, err := p.List(v)
		if err != nil {
			t.Fatal(err)
		}
		next := strings.Contains(string(page.HTML), `rel="next"`)
		if next != (row.want != "") || !strings.Contains(string(page.HTML), row.want) {
			t.Errorf("%s: want %q in %s", name, row.want, page.HTML)
		}
	}
}

// TestChat: a message is sent with those before it, and a refused one can be sent again.
func TestChat(t *testing.T) {
	t.Parallel()
	p, service := openDrawn()
	page, err := p.Form(visitDrawn("needs", "say", nil))
	wantParts(t, page, err, `name="f:message"`, "POST /say")
	page, err = p.Do(visitDrawn("needs", "say", url.Values{"f:message": {"Hello"}}))
	wantParts(t, page, err, `<div class="said">Hello</div>`, "Good &lt;day&gt;", "took 12 tokens",
		`name="console_turn" value="Hello"`)
	before := url.Values{"f:message": {"And?"}, "console_turn": {"Hello", "Good <day>"}}
	page, err = p.Do(visitDrawn("needs", "say", before))
	wantParts(t, page, err, `<div class="said">And?</div>`)
	want := `{"turns":[{"parts":[{"text":"Hello"}],"role":"user"},{"parts":[{"text":"Good \u003cday\u003e"}],"role":"model"},` +
		`{"parts":[{"text":"And?"}],"role":"user"}]}`
	if service.sent != want {
		t.Errorf("sent %s, want %s", service.sent, want)
	}
	before.Set("f:message", "refused")
	page, err = p.Do(visitDrawn("needs", "say", before))
	wantParts(t, page, err, `role="alert"`, `value="refused"`, `<div class="said">Hello</div>`)
	if page.Status != http.StatusTooManyRequests {
		t.Errorf("status %d, want 429", page.Status)
	}
	before.Set("f:message", " ")
	page, err = p.Do(visitDrawn("needs", "say", before))
	wantParts(t, page, err, "Message is needed.")
	before.Set("f:message", "More")
	before["console_turn"] = make([]string, 200)
	page, err = p.Do(visitDrawn("needs", "say", before))
	wantParts(t, page, err, "as long as one can be here")
}
