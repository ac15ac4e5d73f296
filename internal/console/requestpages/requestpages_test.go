package requestpages_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/console/requestpages"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/route"
)

func request(target, id string) *route.Request {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.SetPathValue("id", id)
	return &route.Request{Request: r}
}

func keep(t *testing.T, j *journal.Journal, e journal.Entry, body string) {
	t.Helper()
	d := j.Begin(t.Context())
	d.AddRequest([]byte(body))
	e.At = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	d.Finish(&e)
}

func TestPages(t *testing.T) {
	t.Parallel()
	j := journal.New(journal.Options{})
	j.SetMode(journal.Full)
	var served *http.Request
	p := requestpages.New(requestpages.Options{
		Journal: j, Own: []string{"console"}, Services: []string{"tasks"},
		Handler: func() http.Handler {
			return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				served = r
				j.Begin(r.Context()).Finish(&journal.Entry{Service: "tasks", Method: r.Method, Path: r.URL.Path, Status: 200})
			})
		},
	})
	keep(t, j, journal.Entry{
		Service: "tasks", Operation: "tasks.insert", Method: "POST", Path: "/tasks/v1/<b>", Target: "/tasks/v1/%3Cb%3E",
		Status: 403, Reason: "scope missing",
		RequestHeader: http.Header{"Authorization": {"Bearer secret-token"}, "Content-Type": {"application/json"}},
	}, `{"title":"Rake"}`)
	keep(t, j, journal.Entry{Service: "console", Method: "GET", Path: "/console", Status: 200}, "")

	list, err := p.List(request("/console/requests?status=4xx", ""))
	if err != nil {
		t.Fatal(err)
	}
	text := string(list.HTML)
	if !strings.Contains(text, "scope missing") || !strings.Contains(text, "/tasks/v1/&lt;b&gt;") ||
		strings.Contains(text, `/console/requests/2"`) {
		t.Errorf("the list is\n%s", text)
	}
	if page, err := p.List(request("/console/requests?status=bad", "")); err != nil ||
		!strings.Contains(string(page.HTML), "Write a status") {
		t.Errorf("a wrong status: %v\n%s", err, page.HTML)
	}
	one, err := p.One(request("/", "1"), "token")
	if err != nil {
		t.Fatal(err)
	}
	text = string(one.HTML)
	if strings.Contains(text, "secret-token") || !strings.Contains(text, "&#34;title&#34;: &#34;Rake&#34;") {
		t.Errorf("the page is\n%s", text)
	}
	if _, err := p.One(request("/", "99"), ""); err == nil {
		t.Error("a request that is not kept has a page")
	}
	again, err := p.SendAgain(request("/", "1"), url.Values{
		"method": {"post"}, "target": {"/tasks/v1/<b>"}, "body": {`{"title":"Sweep"}`}, "header": {"X-Extra: 1"},
	}, "token")
	if err != nil || again.Redirect != "/console/requests/3" {
		t.Fatalf("page = %+v, %v", again, err)
	}
	if served.Header.Get("Authorization") != "Bearer secret-token" || served.Header.Get("X-Extra") != "1" {
		t.Errorf("sent with %v", served.Header)
	}
	refused, err := p.SendAgain(request("/", "1"), url.Values{"method": {"GET"}, "target": {"/console/sign-out"}}, "")
	if err != nil || refused.Redirect != "" {
		t.Errorf("a page of the console was asked again: %+v, %v", refused, err)
	}
}

// TestConsoleCalls are left out of the list unless they are asked for, and then stand beside the others.
func TestConsoleCalls(t *testing.T) {
	t.Parallel()
	j := journal.New(journal.Options{})
	j.SetMode(journal.Full)
	p := requestpages.New(requestpages.Options{Journal: j, Services: []string{"tasks"}})
	keep(t, j, journal.Entry{Service: "tasks", Path: "/by-console", Status: 503, ByConsole: true}, "")
	keep(t, j, journal.Entry{Service: "tasks", Path: "/by-client", Status: 200, Caller: "personal user=ada"}, "")
	for query, own := range map[string]bool{"": false, "?console=yes": true} {
		list, err := p.List(request("/console/requests"+query, ""))
		if err != nil {
			t.Fatal(err)
		}
		text := string(list.HTML)
		if strings.Contains(text, "/by-console") != own || !strings.Contains(text, "/by-client") {
			t.Errorf("%q shows\n%s", query, text)
		}
	}
}

// TestRequestID is found and shown where headers are kept and where they are not.
func TestRequestID(t *testing.T) {
	t.Parallel()
	for _, mode := range []journal.Mode{journal.Full, journal.Brief} {
		j := journal.New(journal.Options{})
		j.SetMode(mode)
		p := requestpages.New(requestpages.Options{Journal: j})
		keep(t, j, journal.Entry{
			Service: "tasks", Path: "/asked", ResponseHeader: http.Header{"X-Request-Id": {"f00d-1"}},
		}, "")
		list, err := p.List(request("/console/requests?text=f00d-1", ""))
		if err != nil || !strings.Contains(string(list.HTML), "/asked") {
			t.Errorf("mode %v: the list is %s, %v", mode, list.HTML, err)
		}
		one, err := p.One(request("/console/requests/1", "1"), "")
		if err != nil || !strings.Contains(string(one.HTML), "<dt>Request id</dt><dd><code>f00d-1</code>") {
			t.Errorf("mode %v: the page is %s, %v", mode, one.HTML, err)
		}
	}
}
