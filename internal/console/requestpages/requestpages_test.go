package requestpages_test

import (
	"context"
	"encoding/base64"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/console/requestpages"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/module"
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
	p := requestpages.New(requestpages.Options{URL: address,
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

// address is that of the world under test.
func address(context.Context) string { return "http://w.test" }

// TestNothingYet: a list without a row says what to send, at the address of this server, and tells
// a journal without requests from filters that nothing matches.
func TestNothingYet(t *testing.T) {
	t.Parallel()
	j := journal.New(journal.Options{})
	j.SetMode(journal.Brief)
	p := requestpages.New(requestpages.Options{URL: address, Journal: j})
	for query, want := range map[string]string{
		"":             "<p>No requests yet. Send one",
		"?method=POST": "<p>No request matches. Send one",
	} {
		list, err := p.List(request("/console/requests"+query, ""))
		text := string(list.HTML)
		if err != nil || !strings.Contains(text, want) ||
			!strings.Contains(text, "<code>curl http://w.test/tasks/v1/users/@me/lists</code>") {
			t.Errorf("%q: %v\n%s", query, err, text)
		}
	}
}

// TestCurl: the command names the variable that holds a credential, and never the credential.
func TestCurl(t *testing.T) {
	t.Parallel()
	keyed := module.Example{Credential: "STOA_API_KEY", Shell: `curl -H "SVC-API-KEY: $STOA_API_KEY" -H "SVC-APP: $STOA_APP_KEY"`}
	basic := func(plain string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(plain)) }
	for name, row := range map[string]struct {
		service, query string
		header         http.Header
		want           string
	}{
		"a method that is a command": {"", "`id`", nil, "curl -X '`id`' 'http://w.test/x'"},
		"a secret's name that is a command": {"tasks", "", http.Header{"X-Token-`id`": {"secret-text"}},
			"curl -H 'X-Token-`id`: ***' 'http://w.test/x'"},
		"bearer": {"tasks", "", http.Header{"Authorization": {"Bearer secret-text"}}, `-H "Authorization: Bearer $STOA_TOKEN"`},
		"named by the example": {"graphs", "", http.Header{"Svc-Api-Key": {"secret-text"}, "Accept": {"a'b"}},
			`curl -H 'Accept: a'\''b' -H "Svc-Api-Key: $STOA_API_KEY" 'http://w.test/x'`},
		"basic":            {"tasks", "", http.Header{"Authorization": {basic("ada:secret-text")}}, `-u "$STOA_USER:$STOA_PASSWORD"`},
		"a token as basic": {"graphs", "", http.Header{"Authorization": {basic("secret-text:")}}, `-u "$STOA_API_KEY:"`},
		"in the query":     {"graphs", "a=1&token=secret-text&b=2", nil, `'http://w.test/x?a=1&token='"$STOA_API_KEY"'&b=2'`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := journal.New(journal.Options{})
			j.SetMode(journal.Full)
			p := requestpages.New(requestpages.Options{
				URL: address, Journal: j, Examples: map[string]module.Example{"graphs": keyed},
			})
			e := journal.Entry{
				Service: row.service, Method: "GET", Path: "/x", Target: "/x", Query: row.query, RequestHeader: row.header,
			}
			if row.service == "" {
				e.Method, e.Query = row.query, ""
			}
			keep(t, j, e, "")
			page, err := p.One(request("/", "1"), "")
			if err != nil {
				t.Fatal(err)
			}
			text := html.UnescapeString(string(page.HTML))
			_, line, _ := strings.Cut(text, "Copy as curl")
			line, _, _ = strings.Cut(line, "</pre>")
			if !strings.Contains(line, row.want) || strings.Contains(text, "secret-text") {
				t.Errorf("got %s\nwant %s", line, row.want)
			}
			if strings.Contains(line, "STOA_URL") {
				t.Errorf("the command needs a variable for what the page knows: %s", line)
			}
			if !strings.Contains(text, "are set by") {
				t.Errorf("the page does not say where the variables come from:\n%s", text)
			}
		})
	}
}

// TestFaultIsNoLimit: the page says of a refusal by a fault that no limit made it.
func TestFaultIsNoLimit(t *testing.T) {
	t.Parallel()
	const want = "The refusal came from the fault <strong>rate_limited</strong>, not from a limit."
	for fault, shown := range map[string]bool{"rate_limited": true, "": false} {
		j := journal.New(journal.Options{})
		j.SetMode(journal.Full)
		p := requestpages.New(requestpages.Options{URL: address, Journal: j})
		d := j.Begin(t.Context())
		d.AddLimit(journal.Limit{Name: "core", Limit: 60, Remaining: 59})
		if fault != "" {
			d.SetFault(fault, "f1")
		}
		d.Finish(&journal.Entry{Service: "events", Path: "/x", Status: 429})
		page, err := p.One(request("/", "1"), "")
		text := string(page.HTML)
		if err != nil || strings.Contains(text, want) != shown || !strings.Contains(text, "59 of 60") {
			t.Errorf("fault %q: %v\n%s", fault, err, text)
		}
	}
}

// TestConsoleCalls are left out of the list unless they are asked for, and then stand beside the others.
func TestConsoleCalls(t *testing.T) {
	t.Parallel()
	j := journal.New(journal.Options{})
	j.SetMode(journal.Full)
	p := requestpages.New(requestpages.Options{URL: address, Journal: j, Services: []string{"tasks"}})
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
		p := requestpages.New(requestpages.Options{URL: address, Journal: j})
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
