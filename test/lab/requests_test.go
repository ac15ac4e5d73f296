package lab_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

const march = `{"name":"march","seed":7,"clock":{"mode":"frozen","now":"2026-03-01T09:00:00Z"}}`

// summary is a request as the control API lists it.
type summary struct {
	ID, At, Service, Operation, Method, Path, Query, Reason, Caller, Fault string

	Status     int
	DurationMs float64
	Unread     []string
}

// record is a request with everything.
type record struct {
	summary
	RequestHeaders, ResponseHeaders map[string]string
	RequestBody, ResponseBody       any
	BodyTruncated                   bool
	Caused                          []struct{ Kind, ID string }
}

func (w *world) requests(t *testing.T, query string) (list []summary, next string) {
	t.Helper()
	a := w.control.call(t, "GET", w.path()+"/requests"+query, "").want(t, http.StatusOK)
	var out struct {
		Requests      []summary
		NextPageToken string
	}
	if err := json.Unmarshal(a.body, &out); err != nil || out.Requests == nil {
		t.Fatalf("%v: %v", a, err)
	}
	return out.Requests, out.NextPageToken
}

func (w *world) request(t *testing.T, id string) record {
	t.Helper()
	return readRecord(t, w.control.call(t, "GET", w.path()+"/requests/"+id, "").want(t, http.StatusOK))
}

func readRecord(t *testing.T, a answer) (r record) {
	t.Helper()
	if err := json.Unmarshal(a.body, &r); err != nil {
		t.Fatalf("%v: %v", a, err)
	}
	return r
}

// refused fails unless the answer is in the lab's envelope.
func refused(t *testing.T, a answer, status int, code, words string) {
	t.Helper()
	var out struct {
		Error struct{ Code, Message, Next string }
	}
	err := json.Unmarshal(a.body, &out)
	if err != nil || a.status != status || out.Error.Code != code || !strings.Contains(out.Error.Message, words) ||
		out.Error.Next == "" {
		t.Errorf("%v, want %d %s with %q and a next step", a, status, code, words)
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	c := open(t, t.TempDir())
	w := c.create(t, march)
	other := c.create(t, `{"name":"other","from":"empty"}`)

	w.ask(t, "GET", tasksPath+"?maxResults=2&maxresult=1", "", "").want(t, 200)
	w.ask(t, "POST", tasksPath, "", `{"title":"milk","ttile":"x","token":"hidden-secret"}`).want(t, 200)
	w.ask(t, "GET", tasksPath, "wrong-token", "").want(t, 401)
	w.ask(t, "GET", "/tasks/v2/users/@me/lists", "", "").want(t, 404)
	w.ask(t, "GET", "/tasks/v1/users/@me/list", "", "").want(t, 404)

	t.Run("list", func(t *testing.T) {
		list, next := w.requests(t, "")
		if len(list) != 5 || next != "" {
			t.Fatalf("%d requests, want 5: %+v", len(list), list)
		}
		first := list[4]
		if first.ID != "1" || first.Service != "tasks" || first.Operation != "tasklists.list" || first.Method != "GET" ||
			first.Path != tasksPath || first.Query != "maxResults=2&maxresult=1" || first.Status != 200 || first.Caller == "" ||
			first.At != "2026-03-01T09:00:00Z" || strings.Join(first.Unread, " ") != "?maxresult" {
			t.Errorf("%+v", first)
		}
		if got := list[3].Unread; len(got) != 2 || got[1] != "/ttile" {
			t.Errorf("unread %v, want /token and /ttile", got)
		}
		if list[2].Status != 401 || list[2].Reason == "" {
			t.Errorf("%+v, want a refusal with its reason", list[2])
		}
		for _, missing := range list[:2] {
			if !strings.Contains(missing.Reason, "nearest path that exists is GET "+tasksPath) {
				t.Errorf("%s: %q, want the nearest path", missing.Path, missing.Reason)
			}
		}
	})
	t.Run("filters", func(t *testing.T) {
		for query, want := range map[string]int{
			"?service=tasks": 4, "?operation=tasklists.insert": 1, "?status=404": 2, "?status=4xx": 3, "?method=post": 1,
			"?path=/tasks/*/users/**": 5, "?path=/tasks/*": 0, "?text=milk": 1, "?text=hidden-secret": 0,
			"?since=2026-03-01T09:00:01Z": 0, "?since=2026-03-01T09:00:00Z": 5, "?caller=eve": 0,
		} {
			if list, _ := w.requests(t, query); len(list) != want {
				t.Errorf("%s: %d requests, want %d", query, len(list), want)
			}
		}
	})
	t.Run("pages", func(t *testing.T) {
		var seen []string
		for token := ""; ; {
			list, next := w.requests(t, "?limit=2&pageToken="+token)
			for _, s := range list {
				seen = append(seen, s.ID)
			}
			if token = next; token == "" {
				break
			}
		}
		if got := strings.Join(seen, " "); got != "5 4 3 2 1" {
			t.Errorf("pages: %s", got)
		}
	})
	t.Run("record", func(t *testing.T) {
		r := w.request(t, "2")
		body, _ := r.RequestBody.(string)
		if !strings.Contains(body, `"title":"milk"`) || !strings.Contains(body, `"token":"***"`) {
			t.Errorf("body %v, want it with the secret masked", r.RequestBody)
		}
		if r.RequestHeaders["Authorization"] != "***" || r.ResponseHeaders["Content-Type"] == "" || r.Caused == nil {
			t.Errorf("%+v", r)
		}
		whole := c.call(t, "GET", w.path()+"/requests.har", "").want(t, 200)
		for _, secret := range []string{w.Env["STOA_TOKEN"], "hidden-secret", "wrong-token"} {
			if secret == "" || strings.Contains(string(whole.body), secret) {
				t.Errorf("the secret %q is shown", secret)
			}
		}
	})
	t.Run("refusals", func(t *testing.T) {
		path := w.path() + "/requests"
		for query, words := range map[string]string{
			"?nonsense=1": "nonsense is not a known parameter", "?status=x": "status", "?limit=0": "limit", "?limit=x": "limit",
			"?limit=1001": "limit", "?pageToken=x": "pageToken", "?since=x": "since", "?status=1&status=2": "more than once",
		} {
			refused(t, c.call(t, "GET", path+query, ""), 400, "invalid", words)
		}
		for _, id := range []string{"99", "x", "-1"} {
			refused(t, c.call(t, "GET", path+"/"+id, ""), 404, "not_found", "there is no request")
			refused(t, c.call(t, "POST", path+"/"+id+"/replay", "{}"), 404, "not_found", "there is no request")
		}
		refused(t, c.call(t, "GET", "/worlds/none/requests", ""), 404, "not_found", "there is no world")
		refused(t, c.call(t, "POST", path+"/1/replay", `{"x":1}`), 400, "invalid", "x is not a known member")
		bare := &control{url: c.url, http: c.http}
		refused(t, bare.call(t, "GET", path, ""), 401, "unauthorized", "token")
	})
	if list, _ := other.requests(t, ""); len(list) != 0 {
		t.Errorf("another world has %d requests", len(list))
	}
}

func TestRequestsAreSentAgainAndForgotten(t *testing.T) {
	t.Parallel()
	c := open(t, t.TempDir())
	w := c.create(t, march)
	w.ask(t, "POST", tasksPath, "", `{"title":"milk"}`).want(t, 200)
	r := readRecord(t, c.call(t, "POST", w.path()+"/requests/1/replay", "{}").want(t, 201))
	if r.ID != "2" || r.Status != 200 || r.Operation != "tasklists.insert" {
		t.Errorf("%+v, want a second list", r.summary)
	}
	if n := strings.Count(string(w.ask(t, "GET", tasksPath, "", "").body), `"milk"`); n != 2 {
		t.Errorf("%d lists, want 2", n)
	}
	c.call(t, "DELETE", w.path()+"/requests", "").want(t, 204)
	if list, _ := w.requests(t, ""); len(list) != 0 {
		t.Errorf("after delete: %d requests", len(list))
	}
	w.ask(t, "GET", tasksPath, "", "").want(t, 200)
	if list, _ := w.requests(t, ""); len(list) != 1 || list[0].ID != "4" {
		t.Errorf("after delete: %+v, want request 4", list)
	}
	c.call(t, "POST", w.path()+"/sleep", "{}").want(t, 200)
	if list, _ := w.requests(t, ""); len(list) != 1 {
		t.Errorf("asleep: %d requests, want 1", len(list))
	}
	fork := w.fork(t)
	if list, _ := fork.requests(t, ""); len(list) != 0 {
		t.Errorf("a fork begins with %d requests", len(list))
	}
	c.call(t, "POST", w.path()+"/reset", "{}").want(t, 200)
	if list, _ := w.requests(t, ""); len(list) != 0 {
		t.Errorf("after reset: %d requests", len(list))
	}
	w.ask(t, "GET", tasksPath, "", "").want(t, 200)
	if list, _ := w.requests(t, ""); len(list) != 1 || list[0].ID != "1" {
		t.Errorf("after reset: %+v, want request 1", list)
	}
}

// TestSameRequests: the same birth and calls leave the same journal, but for real
// durations.
func TestSameRequests(t *testing.T) {
	t.Parallel()
	c := open(t, t.TempDir())
	w := c.create(t, march)
	drive := func() string {
		w.ask(t, "GET", tasksPath, "", "").want(t, 200)
		w.ask(t, "POST", tasksPath, "", `{"title":"milk"}`).want(t, 200)
		w.ask(t, "GET", "/nowhere", "", "").want(t, 404)
		var all []record
		list, _ := w.requests(t, "")
		for _, s := range list {
			r := w.request(t, s.ID)
			r.DurationMs = 0
			all = append(all, r)
		}
		text, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	first := drive()
	c.call(t, "POST", w.path()+"/reset", "{}").want(t, 200)
	if second := drive(); second != first {
		t.Errorf("the journals differ:\n%s\n%s", first, second)
	}
}

func TestRequestStream(t *testing.T) {
	t.Parallel()
	c := open(t, t.TempDir())
	w := c.create(t, march)
	r, err := http.NewRequestWithContext(t.Context(), "GET", c.url+"/lab/v1"+w.path()+"/requests/stream?status=200", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	response, err := c.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if got := response.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("type %q", got)
	}
	w.ask(t, "GET", "/nowhere", "", "").want(t, 404)
	w.ask(t, "GET", tasksPath, "", "").want(t, 200)
	lines := bufio.NewScanner(response.Body)
	var event []string
	for len(event) < 3 && lines.Scan() {
		event = append(event, lines.Text())
	}
	data, ok := strings.CutPrefix(event[2], "data: ")
	var s summary
	if err := json.Unmarshal([]byte(data), &s); err != nil || !ok || event[0] != "id: 2" || event[1] != "event: request" ||
		s.Operation != "tasklists.list" {
		t.Errorf("%q, %v", event, err)
	}
	w.delete(t)
	for lines.Scan() { // the stream ends with the world
		if lines.Text() != "" {
			t.Errorf("after the end: %q", lines.Text())
		}
	}
}

func TestHAR(t *testing.T) {
	t.Parallel()
	c := open(t, t.TempDir())
	w := c.create(t, march)
	w.ask(t, "POST", tasksPath+"?x=1", "", `{"title":"milk"}`).want(t, 200)
	w.ask(t, "GET", "/healthz", "-", "").want(t, 200)
	a := c.call(t, "GET", w.path()+"/requests.har", "").want(t, 200)
	var file struct {
		Log struct {
			Version string
			Creator struct{ Name, Version string }
			Entries []struct {
				StartedDateTime string
				Request         struct {
					Method, URL string
					PostData    struct{ Text string }
					QueryString []struct{ Name, Value string }
				}
				Response struct {
					Status  int
					Content struct{ Text, MimeType string }
				}
				Operation string `json:"_operation"`
			}
		}
	}
	if err := json.Unmarshal(a.body, &file); err != nil {
		t.Fatal(err)
	}
	l := file.Log
	if l.Version != "1.2" || l.Creator.Name != "stoa" || len(l.Entries) != 2 {
		t.Fatalf("%s", a.body)
	}
	e := l.Entries[0]
	if e.Request.Method != "POST" || e.Request.URL != w.URL+tasksPath+"?x=1" ||
		e.Request.PostData.Text != `{"title":"milk"}` || e.Request.QueryString[0].Name != "x" ||
		e.Response.Status != 200 || e.Operation != "tasklists.insert" ||
		!strings.Contains(e.Response.Content.Text, "milk") || e.StartedDateTime != "2026-03-01T09:00:00Z" {
		t.Errorf("%+v", e)
	}
}

func TestExpect(t *testing.T) {
	t.Parallel()
	c := open(t, t.TempDir())
	w := c.create(t, march)
	w.ask(t, "POST", tasksPath, "", `{"title":"milk"}`).want(t, 200)
	w.ask(t, "POST", tasksPath, "wrong", `{"title":"bread"}`).want(t, 401)
	w.move(t, "advance", `{"by":"2s"}`)
	w.ask(t, "GET", tasksPath, "", "").want(t, 200)
	w.move(t, "advance", `{"by":"3s"}`)
	w.ask(t, "GET", tasksPath, "", "").want(t, 200)
	for _, want := range []struct {
		body           string
		pass           bool
		found          int
		words, nearest string
	}{
		{`{"calls":{"operation":"tasklists.insert"}}`, true, 2, "found 2", ""},
		{`{"calls":{"operation":"tasklists.insert","status":200},"exactly":1}`, true, 1, "exactly 1 call", ""},
		{`{"calls":{"operation":"tasklists.insert","body":{"/title":"milk"}},"exactly":1}`, true, 1, "", ""},
		{`{"calls":{"header":{"if-none-match":"*"}},"exactly":0}`, true, 0, "", ""},
		{`{"calls":{"path":"/tasks/**","method":"get"},"atLeast":2,"atMost":2}`, true, 2, "", ""},
		{`{"calls":{"operation":"tasklists.list"},"noCloserThan":"3s"}`, true, 2, "", ""},
		{`{"calls":{"operation":"tasklists.list"},"noCloserThan":"5s"}`, false, 2, "came 3s after request 3", "4"},
		{`{"calls":{"status":"4xx"},"exactly":0}`, false, 1, "the first too many is request 2", "2"},
		{
			`{"calls":{"operation":"tasklists.insert","body":{"/title":"cheese"}}}`, false, 0,
			`its body has "bread" at /title, not "cheese"`, "2",
		},
		{
			`{"calls":{"operation":"tasklists.insert","status":200,"body":{"/title":"bread"}}}`, false, 0,
			`"milk" at /title, not "bread"`, "1",
		},
		{
			`{"calls":{"operation":"tasklists.delete"},"atLeast":1}`, false, 0,
			"its operation is tasklists.list, not tasklists.delete", "4",
		},
		{
			`{"calls":{"service":"tasks","caller":"no-one","operation":"tasklists.list"},"exactly":1}`, false, 0,
			"not no-one", "4",
		},
	} {
		a := c.call(t, "POST", w.path()+"/expect", want.body).want(t, 200)
		var got struct {
			Pass    bool
			Found   int
			Message string
			Nearest *summary
		}
		if err := json.Unmarshal(a.body, &got); err != nil {
			t.Fatal(err)
		}
		nearest := ""
		if got.Nearest != nil {
			nearest = got.Nearest.ID
		}
		if got.Pass != want.pass || got.Found != want.found || !strings.Contains(got.Message, want.words) ||
			nearest != want.nearest {
			t.Errorf("%s:\n%v\nwant %+v", want.body, a, want)
		}
	}
	for body, words := range map[string]string{
		`{"calls":{"nonsense":1}}`:                       "nonsense is not a known member",
		`{"calls":{"status":"x"}}`:                       "status",
		`{"calls":{"body":{"title":1}}}`:                 "not a JSON pointer",
		`{"calls":{},"exactly":1,"atLeast":1}`:           "exactly stands beside",
		`{"calls":{},"atLeast":2,"atMost":1}`:            "atLeast is greater",
		`{"calls":{},"exactly":-1}`:                      "exactly is negative",
		`{"calls":{},"noCloserThan":"soon"}`:             "duration",
		`{"calls":{},"noCloserThan":"-1s"}`:              "noCloserThan",
		`{"calls":{"operation":"x"},"surplus":"member"}`: "surplus",
	} {
		refused(t, c.call(t, "POST", w.path()+"/expect", body), 400, "invalid", words)
	}
}
