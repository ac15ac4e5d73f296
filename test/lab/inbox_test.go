package lab_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// inboxMessage is one that the control API lists.
type inboxMessage struct {
	At       time.Time
	Method   string
	Headers  map[string]string
	Body     string
	Answered int
}

func (w *world) messages(t *testing.T, name, query string) []inboxMessage {
	t.Helper()
	a := w.control.call(t, http.MethodGet, w.path()+"/inboxes/"+name+"/messages"+query, "").want(t, http.StatusOK)
	var out struct{ Messages []inboxMessage }
	if err := json.Unmarshal(a.body, &out); err != nil {
		t.Fatalf("%v: %v", a, err)
	}
	return out.Messages
}

func (w *world) addInbox(t *testing.T, body string) map[string]any {
	t.Helper()
	return w.control.call(t, http.MethodPost, w.path()+"/inboxes", body).want(t, http.StatusCreated).object(t)
}

// TestInbox checks that what a service sends reaches the inboxes of its own world,
// over HTTP and HTTPS, and that a receiver that fails gets every message once it is well.
func TestInbox(t *testing.T) {
	t.Parallel()
	c := open(t, t.TempDir())
	w := c.create(t, `{"clock":{"mode":"frozen","now":"2031-05-06T07:08:09Z"}}`)
	for _, scheme := range []string{"url", "httpsUrl"} {
		t.Run(scheme, func(t *testing.T) {
			w := w.fork(t)
			made := w.addInbox(t, `{"name":"hooks","answer":{"status":503,"times":3}}`)
			watch(t, w, made[scheme].(string))
			for range 2 {
				w.ask(t, "POST", calendarEvents, "", `{"summary":"x",`+wholeDay+`}`).want(t, http.StatusOK)
			}
			w.settle(t)
			first := w.messages(t, "hooks", "")
			if len(first) == 0 || first[0].Answered != http.StatusServiceUnavailable ||
				!first[0].At.Equal(time.Date(2031, 5, 6, 7, 8, 9, 0, time.UTC)) {
				t.Fatalf("got %+v, want one that was refused with 503 at the world's time", first)
			}
			w.move(t, "advance", `{"by":"2d"}`)
			accepted := map[string]int{}
			for _, m := range w.messages(t, "hooks", "?atLeast=6&within=1s") {
				if m.Answered == http.StatusOK {
					accepted[m.Headers["X-Goog-Message-Number"]]++
				}
			}
			if len(accepted) != 3 || accepted["1"] != 1 || accepted["2"] != 1 || accepted["3"] != 1 {
				t.Errorf("accepted by number: %v, want 1, 2 and 3 once each", accepted)
			}
		})
	}
}

// TestInboxesOfAWorld checks the calls on inboxes: names, answers, clearing, reset,
// and that another world has its own.
func TestInboxesOfAWorld(t *testing.T) {
	t.Parallel()
	c := open(t, t.TempDir())
	w := c.create(t, `{"name":"one"}`)
	other := c.create(t, `{"name":"two"}`)
	made := w.addInbox(t, `{"name":"a"}`)
	if made["url"] != w.URL+"/inbox/a" || made["answer"] != nil {
		t.Errorf("made %v", made)
	}
	post := func(address string) int {
		t.Helper()
		a, err := send(c.http, http.MethodPost, address, "", `{"x":1}`)
		if err != nil {
			return 0
		}
		return a.status
	}
	if got := post(w.URL + "/inbox/a"); got != http.StatusOK {
		t.Errorf("the world's port: got %d", got)
	}
	if got := post(w.PrefixURL + "/inbox/a"); got != http.StatusOK {
		t.Errorf("the lab's port: got %d", got)
	}
	if got := post(other.URL + "/inbox/a"); got != http.StatusNotFound {
		t.Errorf("another world: got %d, want 404", got)
	}
	if got := w.messages(t, "a", ""); len(got) != 2 || got[0].Body != `{"x":1}` || got[0].Method != "POST" {
		t.Errorf("kept %+v", got)
	}
	patched := c.call(t, "PATCH", w.path()+"/inboxes/a", `{"answer":{"cut":true,"delay":"1ms"}}`).want(t, http.StatusOK)
	if !strings.Contains(string(patched.body), `"cut":true`) || !strings.Contains(string(patched.body), `"delay":"1ms"`) {
		t.Errorf("patched: %v", patched)
	}
	if got := post(w.URL + "/inbox/a"); got != 0 {
		t.Errorf("a cut: got %d", got)
	}
	c.call(t, "DELETE", w.path()+"/inboxes/a/messages", "").want(t, http.StatusNoContent)
	if got := w.messages(t, "a", ""); len(got) != 0 {
		t.Errorf("after clearing: %v", got)
	}
	for body, status := range map[string]int{
		`{"name":"a"}`: 409, `{"name":"A b"}`: 400, `{"name":"b","answer":{"status":99}}`: 400,
		`{"name":"b","answer":{"delay":"1h"}}`: 400, `{"name":"b","answer":{"times":-1}}`: 400, `{"name":"b","x":1}`: 400,
	} {
		c.call(t, "POST", w.path()+"/inboxes", body).want(t, status)
	}
	for _, query := range []string{"?atLeast=x", "?within=1y", "?within=2h"} {
		c.call(t, "GET", w.path()+"/inboxes/a/messages"+query, "").want(t, http.StatusBadRequest)
	}
	c.call(t, "POST", w.path()+"/reset", "{}").want(t, http.StatusOK)
	c.call(t, "GET", w.path()+"/inboxes/a/messages", "").want(t, http.StatusNotFound)
	w.addInbox(t, `{"name":"a"}`)
	c.call(t, "DELETE", w.path()+"/inboxes/a", "").want(t, http.StatusNoContent)
	c.call(t, "DELETE", w.path()+"/inboxes/a", "").want(t, http.StatusNotFound)
	got := c.call(t, "GET", w.path()+"/inboxes", "").want(t, http.StatusOK)
	if strings.TrimSpace(string(got.body)) != `{"inboxes":[]}` {
		t.Errorf("the list: %v", got)
	}
}
