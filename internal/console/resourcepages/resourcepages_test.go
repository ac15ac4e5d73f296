package resourcepages_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
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

// events is a service with two operations; it keeps the body that was sent last.
type events struct{ sent, all, dir string }

func (e *events) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	e.sent = r.Method + " " + r.URL.RequestURI() + " " + string(body)
	e.all += e.sent + "\n"
	switch {
	case r.URL.Path == "/keep" && string(body) == "picture":
		fmt.Fprint(w, `{"shown":"![](/kept)"}`)
	case r.URL.Path == "/preview":
		fmt.Fprint(w, `<p>Dear <b>reader</b></p>`)
	case r.Method == http.MethodPost && strings.Contains(string(body), "refused"):
		w.WriteHeader(http.StatusConflict)
		fmt.Fprint(w, `{"error":{"message":"<taken>"}}`)
	case r.Method == http.MethodPost && strings.Contains(string(body), "unfit"):
		w.WriteHeader(http.StatusUnprocessableEntity)
		fmt.Fprint(w, `{"message":"Validation Failed","errors":[{"field":"title","message":"title is unfit"}]}`)
	case strings.HasSuffix(r.URL.Path, "/7"):
		fmt.Fprint(w, `{"id":7,"title":"Stand-up","start":{"dateTime":"2026-03-03T09:00:00Z"}}`)
	default:
		fmt.Fprint(w, `{"items":[{"id":7,"title":"Stand-up","start":{"dateTime":"2026-03-03T09:00:00Z"}}],"next":"more"}`)
	}
}

func open(t *testing.T) (*resourcepages.Pages, *events) {
	t.Helper()
	service := &events{dir: t.TempDir()}
	fields := []resource.Field{
		{Name: "title", Title: "Title", Required: true}, {Name: "start/dateTime", Title: "Start", Kind: resource.Time},
		{Name: "tags", Title: "Tags", Kind: resource.Lines, Wrap: "name"},
		{Name: "text", Title: "Text", Kind: resource.Markdown,
			Preview: resource.Call{Operation: "preview"}, PreviewMember: "raw",
			Picture: resource.Call{Operation: "keep"}, PictureMember: "/shown"},
	}
	m := module.Module{
		Name: "things", Title: "Things", Handler: service, Routes: []route.Route{
			{Method: "GET", Pattern: "/things", Name: "list"}, {Method: "GET", Pattern: "/things/{id}", Name: "get"},
			{Method: "POST", Pattern: "/things", Name: "add"}, {Method: "PATCH", Pattern: "/things/{id}", Name: "edit"},
			{Method: "DELETE", Pattern: "/things/{id}", Name: "delete"}, {Method: "POST", Pattern: "/preview", Name: "preview"},
			{Method: "POST", Pattern: "/keep", Name: "keep"},
		},
		Resources: []resource.Resource{
			{
				Name: "events", Title: "Events", One: "an event", Empty: "None.", Label: "/title", Items: "/items",
				List: resource.Call{Operation: "list"}, Get: resource.Call{Operation: "get"},
				Key:     []resource.Key{{Parameter: "id", Pointer: "/id"}},
				Paging:  resource.Paging{Token: "token", Next: "/next"},
				Columns: []resource.Column{{Title: "Title", Pointer: "/title"}},
				Calendar: &resource.Calendar{
					Title: "/title", Start: []string{"/start/dateTime"}, End: []string{"/end"}, After: "after", Before: "before",
				},
				Actions: []resource.Action{
					{Name: "add", Title: "Add", Call: resource.Call{Operation: "add"}, Fields: fields},
					{Name: "edit", Title: "Edit", One: true, Edit: true, Call: resource.Call{Operation: "edit"}, Fields: fields},
					{Name: "delete", Title: "Delete", One: true, Danger: true, Undo: "add",
						Call: resource.Call{Operation: "delete"}},
				},
			},
			{
				Name: "secret", Title: "Secret", Admin: true, List: resource.Call{Command: "secret list"}, Items: "/list",
				Actions: []resource.Action{{
					Name: "load", Title: "Load", Call: resource.Call{Command: "secret load"}, Shows: true,
					Fields: []resource.Field{{Name: "file", Title: "File", Kind: resource.Upload, Required: true}},
				}},
			},
		},
	}
	m.Resources = append(m.Resources, resource.Resource{
		Name: "work", Title: "Work", Label: "/kind", List: resource.Call{Command: "secret list"}, Items: "/list",
		Get: resource.Call{Command: "work show"}, Key: []resource.Key{{Parameter: "id", Pointer: "/id"}},
		Actions: []resource.Action{{Name: "retry", Title: "Retry", One: true, Leaves: true,
			Call: resource.Call{Command: "work show"}, Done: "Job {id} ({kind}) is due."}},
	})
	work := func(_ context.Context, in *module.Input) (any, error) {
		return map[string]any{"id": in.Text("id"), "kind": "test.draw"}, nil
	}
	ran := func(context.Context, *module.Input) (any, error) {
		return map[string]any{"list": []any{map[string]any{"name": "hidden"}}}, nil
	}
	load := func(_ context.Context, in *module.Input) (any, error) {
		content, err := os.ReadFile(in.Text("file"))
		return map[string]any{"added": []any{map[string]any{"content": string(content)}}}, err
	}
	p := resourcepages.New(resourcepages.Options{
		Modules: []module.Module{m}, Dir: service.dir,
		Commands: func() []module.Command {
			return []module.Command{
				{Path: "secret list", Run: ran},
				{Path: "work show", Run: work, Args: []module.Arg{{Name: "id"}}},
				{Path: "secret load", Run: load, Args: []module.Arg{{Name: "file", File: module.ReadsFile}}},
			}
		},
		Credential: func(u identity.User, service string) string { return u.Name + " at " + service },
		Clock:      clock.NewVirtual(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)),
		URL:        func(context.Context) string { return "http://stoa.test" },
	})
	return p, service
}

func visit(query, resourceName, action string, values url.Values) resourcepages.Visit {
	r := httptest.NewRequest(http.MethodGet, "/console/data/things?"+query, nil)
	r.SetPathValue("service", "things")
	r.SetPathValue("resource", resourceName)
	r.SetPathValue("action", action)
	return resourcepages.Visit{
		Request: &route.Request{Request: r}, User: identity.User{Name: "ada"}, Form: "token", Values: values,
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	p, service := open(t)
	page, err := p.List(visit("", "events", "", nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Stand-up", "/console/data/things/events/item?id=7", "console_page=more",
		"curl &#34;http://stoa.test/things&#34;"} {
		if !strings.Contains(string(page.HTML), want) {
			t.Errorf("the page lacks %s:\n%s", want, page.HTML)
		}
	}
	page, err = p.List(visit("console_view=week", "events", "", nil))
	if err != nil || !strings.Contains(string(page.HTML), "2 March to 8 March 2026") ||
		!strings.Contains(service.sent, "after=2026-03-02T00%3A00%3A00Z&before=2026-03-09T00%3A00%3A00Z") {
		t.Errorf("%v, sent %s\n%s", err, service.sent, page.HTML)
	}
	if _, err := p.List(visit("", "secret", "", nil)); !errors.Is(err, route.ErrNoRoute) {
		t.Errorf("a resource of administrators: %v, want ErrNoRoute", err)
	}
}

func TestDo(t *testing.T) {
	t.Parallel()
	p, service := open(t)
	for name, row := range map[string]struct {
		action, query string
		values        url.Values
		sent, problem string
	}{
		"made": {action: "add", values: url.Values{
			"f:title": {"Rake"}, "f:start/dateTime": {"2026-03-05T08:30"}, "f:tags": {"a\r\n b \r\n"},
		}, sent: `POST /things {"start":{"dateTime":"2026-03-05T08:30:00Z"},"tags":[{"name":"a"},{"name":"b"}],"title":"Rake"}`},
		"only what changed": {action: "edit", query: "id=7", values: url.Values{
			"f:title": {"Review"}, "f:start/dateTime": {"2026-03-03T09:00:00"},
		}, sent: `PATCH /things/7 {"title":"Review"}`},
		"needed":  {action: "add", problem: "Title is needed."},
		"refused": {action: "add", values: url.Values{"f:title": {"refused"}}, problem: "&lt;taken&gt;"},
		"unfit":   {action: "add", values: url.Values{"f:title": {"unfit"}}, problem: "title is unfit"},
		"no time": {action: "add", values: url.Values{"f:title": {"x"}, "f:start/dateTime": {"soon"}},
			problem: "Start: choose a date and a time."},
	} {
		t.Run(name, func(t *testing.T) {
			page, err := p.Do(visit(row.query, "events", row.action, row.values))
			switch {
			case err != nil:
				t.Fatal(err)
			case row.problem != "":
				if page.Redirect != "" || !strings.Contains(string(page.HTML), row.problem) || page.Status < 400 {
					t.Errorf("status %d, page\n%s", page.Status, page.HTML)
				}
			case service.sent != row.sent || page.Redirect == "":
				t.Errorf("sent %s\nwant %s", service.sent, row.sent)
			}
		})
	}
}

// TestPreview shows what the service makes of a text, keeps what was typed, and stores
// nothing.
func TestPreview(t *testing.T) {
	t.Parallel()
	p, service := open(t)
	page, err := p.Do(visit("", "events", "add", url.Values{
		"console_preview": {"yes"}, "f:text": {"Dear *reader*"}, "f:title": {"<draft>"},
	}))
	if err != nil || page.Redirect != "" || page.Status != http.StatusOK || !page.Images {
		t.Fatalf("%v, %+v", err, page)
	}
	for _, want := range []string{"<p>Dear <b>reader</b></p>", "Dear *reader*", "&lt;draft&gt;",
		`formaction="/console/data/things/events/do/add#preview"`, `id="preview"`} {
		if !strings.Contains(string(page.HTML), want) {
			t.Errorf("the page lacks %s:\n%s", want, page.HTML)
		}
	}
	if want := `POST /preview {"raw":"Dear *reader*"}`; service.sent != want {
		t.Errorf("sent %s, want %s", service.sent, want)
	}
}

// TestPicture keeps a picture, puts what shows it at the end of the text, and stores
// nothing else unless the form was sent to be stored.
func TestPicture(t *testing.T) {
	t.Parallel()
	p, service := open(t)
	v := visit("", "events", "add", url.Values{"console_picture": {"text"}, "f:text": {"Dear"}, "f:title": {"x"}})
	v.Files = map[string][]byte{"p:text": []byte("picture")}
	page, err := p.Do(v)
	if err != nil || page.Redirect != "" || page.Status != http.StatusOK ||
		!strings.Contains(string(page.HTML), "Dear\n\n![](/kept)\n") ||
		!strings.Contains(string(page.HTML), "The picture is at the end of the text") ||
		!strings.Contains(string(page.HTML), `formaction="#field-text-inserted"`) {
		t.Errorf("%v, status %d\n%s", err, page.Status, page.HTML)
	}
	if !strings.Contains(service.all, "POST /keep picture") || strings.Contains(service.all, "POST /things") {
		t.Errorf("sent %s", service.all)
	}
	v = visit("", "events", "add", url.Values{"f:title": {"x"}})
	v.Files = map[string][]byte{"p:text": []byte("picture")}
	if page, err = p.Do(v); err != nil || page.Redirect == "" || service.sent != `POST /things {"text":"![](/kept)","title":"x"}` {
		t.Errorf("%v, sent %s", err, service.sent)
	}
	v = visit("", "events", "add", url.Values{"f:title": {"x"}})
	v.Files = map[string][]byte{"p:text": []byte("refused")}
	if page, err = p.Do(v); err != nil || page.Status < 400 ||
		!strings.Contains(string(page.HTML), "The picture was not taken: ") {
		t.Errorf("%v, status %d\n%s", err, page.Status, page.HTML)
	}
}

// TestUndo asks by the thing's name before it is deleted, and offers afterwards to make
// it again of what it held.
func TestUndo(t *testing.T) {
	t.Parallel()
	p, service := open(t)
	page, err := p.Form(visit("id=7", "events", "delete", nil))
	if err != nil || !strings.Contains(string(page.HTML), "Stand-up") {
		t.Fatalf("%v: the question does not name the thing:\n%s", err, page.HTML)
	}
	page, err = p.Do(visit("id=7", "events", "delete", nil))
	if err != nil || page.Redirect != "" || service.sent != "DELETE /things/7 " {
		t.Fatalf("%v, sent %q", err, service.sent)
	}
	for _, want := range []string{
		`action="/console/data/things/events/do/add"`, `name="f:title" value="Stand-up"`,
		`name="f:start/dateTime" value="2026-03-03T09:00"`,
	} {
		if !strings.Contains(string(page.HTML), want) {
			t.Errorf("the page lacks %s:\n%s", want, page.HTML)
		}
	}
}

// TestDoneNames asks and answers with the name and the id of what a command is about, and
// does not repeat any text that an address holds.
func TestDoneNames(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	v := visit("id=42", "work", "retry", nil)
	v.User.Admin = true
	page, err := p.Form(v)
	if want := `<p class="subject">test.draw 42</p>`; err != nil || !strings.Contains(string(page.HTML), want) {
		t.Errorf("%v, the question lacks %s:\n%s", err, want, page.HTML)
	}
	page, err = p.Do(v)
	if err != nil {
		t.Fatal(err)
	}
	_, query, _ := strings.Cut(page.Redirect, "?")
	for query, want := range map[string]string{
		query: "Job 42 (test.draw) is due.",
		"console_done=retry&console_done.id=42&console_done.kind=call+this+number": "“Retry” is done.",
		"console_done=retry": "“Retry” is done.",
	} {
		v := visit(query, "work", "", nil)
		v.User.Admin = true
		if page, err = p.List(v); err != nil || !strings.Contains(string(page.HTML), want) {
			t.Errorf("%s: %v, the page lacks %s:\n%s", query, err, want, page.HTML)
		}
	}
}

// TestUpload hands a command the content of a form as a file, which is gone afterwards.
func TestUpload(t *testing.T) {
	t.Parallel()
	p, service := open(t)
	v := visit("", "secret", "load", url.Values{"f:file": {"name\r\n<ada>"}})
	if _, err := p.Do(v); !errors.Is(err, route.ErrNoRoute) {
		t.Errorf("a user who is not an administrator: %v, want ErrNoRoute", err)
	}
	v.User.Admin = true
	page, err := p.Do(v)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Added", "&lt;ada&gt;", "stoa secret load FILE"} {
		if !strings.Contains(string(page.HTML), want) {
			t.Errorf("the page lacks %s:\n%s", want, page.HTML)
		}
	}
	if left, err := os.ReadDir(service.dir); err != nil || len(left) != 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
