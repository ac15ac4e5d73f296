package labpages_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/console/labpages"
	"stoa.dev/stoa/internal/platform/route"
)

// fakeLab answers calls by method and path, and keeps what was sent.
type fakeLab struct {
	answers map[string]string
	sent    []string
}

func (f *fakeLab) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	call := r.Method + " " + r.URL.Path
	f.sent = append(f.sent, strings.TrimSpace(call+" "+string(body)))
	answer, ok := f.answers[call]
	if !ok {
		w.WriteHeader(http.StatusBadRequest)
		answer = `{"error":{"code":"invalid","message":"the world is busy","next":"wait"}}`
	}
	_, _ = io.WriteString(w, answer)
}

func visit(action string, values url.Values) labpages.Visit {
	r := httptest.NewRequest(http.MethodPost, "/console/lab/"+action, nil)
	r.SetPathValue("action", action)
	return labpages.Visit{Request: &route.Request{Request: r}, Form: "token", Values: values}
}

func shown(page, query string) labpages.Visit {
	r := httptest.NewRequest(http.MethodGet, "/console/lab/"+page+"?"+query, nil)
	r.SetPathValue("page", page)
	return labpages.Visit{Request: &route.Request{Request: r}, Form: "token"}
}

// everything is a lab that does whatever it is asked.
type everything struct{}

func (everything) ServeHTTP(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{}`) }

// TestEveryActionRedirects: a browser that loads the page again after an action does not do it
// again, and the address of an action leads to a page.
func TestEveryActionRedirects(t *testing.T) {
	t.Parallel()
	p := labpages.New(labpages.Options{Control: func() (http.Handler, string) { return everything{}, "default" }})
	for _, action := range labpages.ActionNames() {
		v := visit(action, url.Values{
			"name": {"two"}, "sure": {"yes"}, "deed": {"reset"}, "step": {"1d"}, "mode": {"frozen"},
		})
		v.Request.RemoteAddr = "127.0.0.1:4000"
		page, err := p.Do(v)
		if err != nil || !strings.HasPrefix(page.Redirect, labpages.Base) ||
			!strings.Contains(page.Redirect, "done="+action) {
			t.Errorf("%s answers with %+v, %v", action, page, err)
			continue
		}
		to, _, _ := strings.Cut(page.Redirect, "?")
		if page, err = p.Show(shown(action, "")); err != nil || page.Redirect != to {
			t.Errorf("GET of %s leads to %q, %v; want %q", action, page.Redirect, err, to)
		}
	}
}

func TestActionsAreAboutTheOwnWorld(t *testing.T) {
	t.Parallel()
	f := &fakeLab{answers: map[string]string{
		"POST /lab/v1/worlds/one/faults": `{}`, "DELETE /lab/v1/worlds/one/faults/..%2Ftwo": ``,
		"POST /lab/v1/worlds/one/clock/advance": `{"ran":[{"kind":"calendar.expire"}],"ranCount":1}`,
		"GET /lab/v1/worlds/one/clock":          `{"mode":"frozen","now":"2026-03-01T09:00:00Z"}`,
		"GET /lab/v1/worlds/one/faults":         `{"faults":[]}`, "GET /lab/v1/faults/catalog": `{"faults":[]}`,
	}}
	p := labpages.New(labpages.Options{Control: func() (http.Handler, string) { return f, "one" }})
	page, err := p.Do(visit("add-fault", url.Values{
		"service": {"tasks"}, "when": {"nth"}, "count": {"3"}, "deed": {"status"}, "value": {"503"},
	}))
	if err != nil || page.Redirect != "/console/lab/faults?done=add-fault" {
		t.Fatalf("page = %+v, %v", page, err)
	}
	want := `POST /lab/v1/worlds/one/faults {"deed":{"status":503},"match":{"service":"tasks"},"when":{"nth":3}}`
	if f.sent[0] != want {
		t.Errorf("sent %s\nwant %s", f.sent[0], want)
	}
	page, err = p.Do(visit("advance", url.Values{"step": {"30d"}}))
	if err != nil || page.Redirect != "/console/lab/clock?done=advance&moved=1" {
		t.Fatalf("page = %+v, %v", page, err)
	}
	page, err = p.Do(visit("advance", url.Values{"by": {"soon"}}))
	if err != nil || page.Status != http.StatusBadRequest || !strings.Contains(string(page.HTML),
		"What is typed must be a duration such as 90m, 1h30m or 7d, not &#34;soon&#34;.") {
		t.Errorf("page = %+v, %v", page, err)
	}
	for range 2 { // as often as it is loaded
		page, err = p.Show(shown("clock", "moved=1"))
		if err != nil || !strings.Contains(string(page.HTML), "calendar.expire") {
			t.Errorf("page = %+v, %v", page, err)
		}
	}
	page, err = p.Do(visit("delete-fault", url.Values{"name": {"x"}}))
	if err != nil || page.Status != http.StatusBadRequest ||
		!strings.Contains(string(page.HTML), "The world is busy (wait).") {
		t.Errorf("page = %+v, %v", page, err)
	}
	if page, err := p.Do(visit("reset", nil)); err == nil && !strings.Contains(string(page.HTML), "Tick the box") {
		t.Errorf("a reset without the tick: %+v", page)
	}
	for _, call := range f.sent {
		if strings.HasPrefix(call, "DELETE") && !strings.HasPrefix(call, "DELETE /lab/v1/worlds/one/") {
			t.Errorf("%s is about another world", call)
		}
	}
}

// TestMakeAndDeleteWorlds: a world is made with a clock, and another one is deleted with a tick.
func TestMakeAndDeleteWorlds(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		action string
		values url.Values
		want   string
	}{
		{"make", url.Values{"name": {"two"}, "clock": {"2026-03-01T09:00"}},
			`POST /lab/v1/worlds {"clock":{"mode":"frozen","now":"2026-03-01T09:00:00Z"},"name":"two"}`},
		{"make", url.Values{"clock": {"noon"}}, "Choose a date and a time"},
		{"delete", url.Values{"name": {"two"}, "sure": {"yes"}}, `DELETE /lab/v1/worlds/two`},
		{"delete", url.Values{"name": {"two"}}, "Tick the box"},
		{"delete", url.Values{"name": {"default"}, "sure": {"yes"}}, "the page of another world"},
		{"delete", url.Values{"sure": {"yes"}}, "Choose a world"},
	} {
		f := &fakeLab{answers: map[string]string{
			"POST /lab/v1/worlds": `{}`, "DELETE /lab/v1/worlds/two": ``, "GET /lab/v1/worlds": `{"worlds":[]}`,
			"GET /lab/v1/snapshots": `{"snapshots":[]}`,
		}}
		p := labpages.New(labpages.Options{Control: func() (http.Handler, string) { return f, "default" }})
		v := visit(row.action, row.values)
		v.Request.RemoteAddr = "127.0.0.1:4000"
		page, err := p.Do(v)
		if err != nil || !strings.Contains(strings.Join(f.sent, "\n")+string(page.HTML), row.want) {
			t.Errorf("%s %v: %v %s, %v", row.action, row.values, f.sent, page.HTML, err)
		}
	}
}

// TestOtherWorldsAreSeenAtTheLabsAddress: only the console of the world at the lab's own address, asked from this
// machine, is about other worlds.
func TestOtherWorldsAreSeenAtTheLabsAddress(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		own, from string
		others    bool
	}{{"default", "127.0.0.1:4000", true}, {"default", "192.0.2.7:4000", false}, {"one", "127.0.0.1:4000", false}} {
		f := &fakeLab{answers: map[string]string{
			"POST /lab/v1/worlds": `{}`, "DELETE /lab/v1/worlds/two": ``, "GET /lab/v1/snapshots": `{}`,
			"GET /lab/v1/worlds":            `{"worlds":[{"name":"` + row.own + `"},{"name":"two"}]}`,
			"GET /lab/v1/worlds/" + row.own: `{"name":"` + row.own + `"}`,
			"GET /lab/v1/worlds/two":        `{"name":"two","env":{"STOA_USER":"ada","STOA_PASSWORD":"secret of two"}}`,
			"GET /lab/v1/audit":             `{"entries":[]}`,
		}}
		p := labpages.New(labpages.Options{Control: func() (http.Handler, string) { return f, row.own }})
		see := func(v labpages.Visit) string {
			v.Request.RemoteAddr = row.from
			page, err := p.Show(v)
			if err != nil {
				t.Error(err)
			}
			return string(page.HTML)
		}
		text := see(shown("worlds", "show=two"))
		for _, part := range []string{"secret of two", "Make a world", "Delete another world"} {
			if strings.Contains(text, part) != row.others {
				t.Errorf("%v: %q is wrong on the page:\n%s", row, part, text)
			}
		}
		see(shown("audit", "world=two"))
		for _, action := range []string{"make", "delete"} {
			v := visit(action, url.Values{"name": {"two"}, "sure": {"yes"}})
			v.Request.RemoteAddr = row.from
			if _, err := p.Do(v); (err == nil) != row.others {
				t.Errorf("%v: %s: %v", row, action, err)
			}
		}
		for _, call := range f.sent {
			if !row.others && call != "GET /lab/v1/worlds/"+row.own && call != "GET /lab/v1/audit" {
				t.Errorf("%v: %s is about other worlds", row, call)
			}
		}
	}
}

// TestRefusedRule: what was typed stays in the form, and what is refused is said in the
// words of the form.
func TestRefusedRule(t *testing.T) {
	t.Parallel()
	f := &fakeLab{answers: map[string]string{
		"GET /lab/v1/worlds/one/faults": `{"faults":[{"id":"f1","match":{"service":"tasks","operation":"tasks.list"},` +
			`"when":{"nth":3},"deed":{"status":503}},{"id":"f2","match":{"service":"jobs"},"deed":{"fail":"boom"}}]}`,
		"GET /lab/v1/faults/catalog": `{"faults":[{"service":"tasks","name":"tasks.gone","operations":["tasks.list"]}]}`,
	}}
	p := labpages.New(labpages.Options{Control: func() (http.Handler, string) { return f, "one" }})
	for _, row := range []struct {
		values url.Values
		want   string
	}{
		{url.Values{"deed": {"fault"}, "path": {"/mine"}}, "Choose the failure."},
		{url.Values{"deed": {"delay"}, "path": {"/mine"}}, "Write how long in the field Value, such as 2s."},
		{url.Values{"path": {"/mine"}}, "Choose what happens."},
		{url.Values{"deed": {"drop"}, "service": {"deliveries"}, "path": {"/mine"}}, "The world is busy (wait)."},
	} {
		page, err := p.Do(visit("add-fault", row.values))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			row.want, `value="/mine"`, "requests to tasks, operation tasks.list", "only number 3", "answers 503",
			"fails with the error boom", "always", `<optgroup label="tasks">`, `<option value="tasks.list"`,
		} {
			if !strings.Contains(string(page.HTML), want) {
				t.Errorf("the page lacks %q:\n%s", want, page.HTML)
			}
		}
	}
}

// TestChosenFailures: a page about an operation offers its failures, also without scripts.
func TestChosenFailures(t *testing.T) {
	t.Parallel()
	f := &fakeLab{answers: map[string]string{
		"GET /lab/v1/worlds/one/faults": `{"faults":[]}`,
		"GET /lab/v1/faults/catalog": `{"faults":[{"service":"tasks","name":"tasks.gone","operations":["tasks.list"]},` +
			`{"service":"tasks","name":"tasks.quota","operations":[]},{"service":"labels","name":"labels.quota","operations":[]},` +
			`{"service":"tasks","name":"lists.gone","operations":["lists.get"]}]}`,
	}}
	p := labpages.New(labpages.Options{Control: func() (http.Handler, string) { return f, "one" }})
	for query, want := range map[string]string{
		"":                                   "tasks.gone tasks.quota lists.gone labels.quota",
		"service=tasks":                      "tasks.gone tasks.quota lists.gone",
		"service=tasks&operation=tasks.list": "tasks.gone tasks.quota",
		"operation=lists.get":                "tasks.quota lists.gone",
		"service=jobs":                       "",
	} {
		v := visit("", nil)
		v.Request.SetPathValue("page", "faults")
		v.Request.URL.RawQuery = query
		page, err := p.Show(v)
		if err != nil {
			t.Fatal(err)
		}
		_, form, _ := strings.Cut(string(page.HTML), `id="x-fault"`)
		form, _, _ = strings.Cut(form, "</select>")
		var got []string
		for _, found := range regexp.MustCompile(`<option value="([^"]+)"`).FindAllStringSubmatch(form, -1) {
			got = append(got, found[1])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("?%s: %q, want %q", query, got, want)
		}
	}
}

func TestWithoutALab(t *testing.T) {
	t.Parallel()
	p := labpages.New(labpages.Options{Control: func() (http.Handler, string) { return nil, "" }})
	if _, err := p.Show(visit("", nil)); !errors.Is(err, route.ErrNoRoute) {
		t.Errorf("err = %v, want ErrNoRoute", err)
	}
	if bar := p.Bar(visit("", nil).Request); bar != nil {
		t.Errorf("bar = %+v, want none", bar)
	}
}
