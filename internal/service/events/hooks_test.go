package events_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/deliver/delivertest"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/service/events/hooks"
)

// receive lets a server deliver to a receiver on this machine, and returns what makes
// it deliver.
func (h *testServer) receive(t testing.TB, r *delivertest.Receiver) (settle func()) {
	t.Helper()
	client, err := deliver.NewClient(r.Config, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := h.World
	queue := jobs.New(jobs.Options{DB: w.DB, Clock: w.Clock, IDs: w.IDs})
	w.Deliver = deliver.New(deliver.Options{
		DB: w.DB, Jobs: queue, Clock: w.Clock, IDs: w.IDs, Seal: w.Seal, Client: client,
	})
	queue.Register(w.Deliver.Jobs()...)
	return func() {
		t.Helper()
		if err := queue.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHooks: a hook gets a ping and every event that it subscribes to, signed; what was
// sent is listed and can be sent again, byte for byte.
func TestHooks(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		receiver := delivertest.NewReceiver(t)
		settle := h.receive(t, receiver)
		org := addOrg(t, h, "lyceum", "ada")
		ada := h.Token("ada")
		repo := forge.NewRepository{Owner: "lyceum", Name: "hall", Actor: h.actor("ada")}
		if _, err := h.forge.Create(t.Context(), repo); err != nil {
			t.Fatal(err)
		}
		made := h.do(t, ada, "POST", "/repos/lyceum/hall/hooks", `{"config":{"url":"`+receiver.URL+
			`/r","secret":"hush","content_type":"json"},"events":["issues"]}`, 201)
		if config := made["config"].(map[string]any); config["secret"] != "********" {
			t.Errorf("the secret is shown: %v", config)
		}
		h.do(t, ada, "POST", "/orgs/lyceum/hooks", `{"config":{"url":"`+receiver.URL+`/o"},"events":["*"]}`, 201)
		h.do(t, ada, "POST", "/repos/lyceum/hall/issues", `{"title":"Shade"}`, 201)
		h.do(t, ada, "POST", "/repos/lyceum/hall/issues/1/comments", `{"body":"c"}`, 201)
		settle()
		got := map[string][]delivertest.Received{}
		for _, r := range receiver.Requests() {
			got[r.URL] = append(got[r.URL], r)
		}
		if len(got["/r"]) != 2 || len(got["/o"]) != 3 {
			t.Fatalf("%d to the repository's, %d to the organization's, want 2 and 3", len(got["/r"]), len(got["/o"]))
		}
		last := got["/r"][1]
		if want := hooks.Signature("hush", []byte(last.Body)); last.Header.Get("X-Hub-Signature-256") != want {
			t.Errorf("signature %s, want %s", last.Header.Get("X-Hub-Signature-256"), want)
		}
		checkHookBody(t, last, org.Name)
		form, err := url.ParseQuery(got["/o"][2].Body)
		if err != nil || !strings.Contains(form.Get("payload"), `"comment"`) {
			t.Errorf("the form holds %q (%v)", got["/o"][2].Body, err)
		}
		redeliver(t, h, receiver, settle, last)
	})
}

func checkHookBody(t testing.TB, r delivertest.Received, org string) {
	t.Helper()
	var body struct {
		Action     string
		Issue      struct{ Number int }
		Repository struct {
			FullName string `json:"full_name"`
		}
		Sender, Organization struct{ Login string }
	}
	if err := json.Unmarshal([]byte(r.Body), &body); err != nil {
		t.Fatal(err)
	}
	if body.Action != "opened" || body.Issue.Number != 1 || body.Repository.FullName != "lyceum/hall" ||
		body.Sender.Login != "ada" || body.Organization.Login != org || r.Header.Get("X-Vendor-Event") != "issues" {
		t.Errorf("%+v with %v", body, r.Header)
	}
}

// redeliver sends the newest delivery again.
func redeliver(t testing.TB, h *testServer, r *delivertest.Receiver, settle func(), last delivertest.Received) {
	t.Helper()
	ada, at := h.Token("ada"), "/repos/lyceum/hall/hooks/1/deliveries"
	var list []struct {
		ID         int64
		Event      string
		StatusCode int `json:"status_code"`
		Redelivery bool
	}
	read := func() {
		t.Helper()
		if err := json.Unmarshal(h.get(at, ada).Body.Bytes(), &list); err != nil {
			t.Fatal(err)
		}
	}
	read()
	if len(list) != 2 || list[0].Event != "issues" || list[0].StatusCode != http.StatusNoContent ||
		list[1].Event != "ping" {
		t.Fatalf("deliveries %+v", list)
	}
	before := len(r.Requests())
	h.do(t, ada, "POST", at+"/"+strconv.FormatInt(list[0].ID, 10)+"/attempts", "", 202)
	settle()
	all := r.Requests()
	if len(all) != before+1 || all[before].Body != last.Body ||
		all[before].Header.Get("X-Vendor-Delivery") != last.Header.Get("X-Vendor-Delivery") {
		t.Errorf("%d more, want the same bytes once", len(all)-before)
	}
	if read(); len(list) != 3 || !list[0].Redelivery {
		t.Errorf("deliveries %+v", list)
	}
}

// TestHookOfAnotherAddress: an address that was taken from a hook, and that of a hook that was turned off, is told
// nothing more, and what is sent again goes where the hook points now, under its secret of now.
func TestHookOfAnotherAddress(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		receiver := delivertest.NewReceiver(t)
		settle := h.receive(t, receiver)
		h.filled(t, "ada", "moved", false)
		ada, at := h.Token("ada"), "/repos/ada/moved/hooks"
		change := func(body string) { h.do(t, ada, "PATCH", at+"/1", body, 200) }
		paths := func() (all []string) {
			for _, r := range receiver.Requests() {
				all = append(all, r.URL)
			}
			return all
		}
		h.do(t, ada, "POST", at, `{"config":{"url":"`+receiver.URL+`/old","secret":"stolen","content_type":"json"},`+
			`"events":["issues"]}`, 201)
		settle()
		receiver.Reply(delivertest.Answer(http.StatusServiceUnavailable))
		h.do(t, ada, "POST", "/repos/ada/moved/issues", `{"title":"waits"}`, 201)
		settle()
		change(`{"config":{"url":"` + receiver.URL + `/new","secret":"fresh"}}`)
		receiver.Reply(delivertest.Answer(http.StatusNoContent))
		h.Clock.Advance(5 * time.Minute)
		settle()
		if got := strings.Join(paths(), " "); got != "/old /old" {
			t.Errorf("asked %s, want the old address before it was taken away and not after", got)
		}
		h.do(t, ada, "POST", at+"/1/deliveries/1/attempts", "", 202)
		settle()
		all := receiver.Requests()
		last := all[len(all)-1]
		if last.URL != "/new" || last.Body != all[0].Body ||
			last.Header.Get("X-Hub-Signature-256") != hooks.Signature("fresh", []byte(last.Body)) {
			t.Errorf("sent again to %s, signed %s", last.URL, last.Header.Get("X-Hub-Signature-256"))
		}
		change(`{"config":{"secret":""}}`)
		h.do(t, ada, "POST", at+"/1/deliveries/1/attempts", "", 202)
		settle()
		if all = receiver.Requests(); all[len(all)-1].Header.Get("X-Hub-Signature-256") != "" {
			t.Error("signed with a secret that the hook has not any more")
		}
		receiver.Reply(delivertest.Answer(http.StatusServiceUnavailable))
		h.do(t, ada, "POST", "/repos/ada/moved/issues", `{"title":"waits too"}`, 201)
		settle()
		change(`{"active":false}`)
		before := len(receiver.Requests())
		h.Clock.Advance(5 * time.Minute)
		settle()
		if more := len(receiver.Requests()) - before; more != 0 {
			t.Errorf("a hook that was turned off told %d times more", more)
		}
		given, err := h.World.Deliver.List(t.Context(), deliver.Filter{State: deliver.Canceled})
		if err != nil || len(given) != 2 {
			t.Errorf("%d messages were given up, want 2: %v", len(given), err)
		}
	})
}

// TestDeliveriesBeyondAPage: every delivery is listed on some page, and each is shown as it ended, however many came
// after it.
func TestDeliveriesBeyondAPage(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		receiver := delivertest.NewReceiver(t)
		settle := h.receive(t, receiver)
		ada := h.Token("ada")
		h.repo(t, "ada", "talk", false)
		h.do(t, ada, "POST", "/repos/ada/talk/hooks", `{"config":{"url":"`+receiver.URL+`"},"events":["push"]}`, 201)
		const all = 330
		for range all - 1 {
			h.Clock.Advance(time.Second)
			h.do(t, ada, "POST", "/repos/ada/talk/hooks/1/pings", "", 204)
		}
		settle()
		const at = "/repos/ada/talk/hooks/1/deliveries"
		seen := map[int64]bool{}
		for page := 1; page <= 4; page++ {
			var list []struct {
				ID     int64
				Status string
			}
			w := h.get(at+"?per_page=100&page="+strconv.Itoa(page), ada)
			if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
				t.Fatal(err)
			}
			for _, d := range list {
				if seen[d.ID] = true; d.Status != "OK" {
					t.Fatalf("page %d: %+v", page, d)
				}
			}
			if more := strings.Contains(w.Header().Get("Link"), `rel="next"`); more != (page < 4) {
				t.Errorf("page %d: Link %q", page, w.Header().Get("Link"))
			}
		}
		if len(seen) != all {
			t.Errorf("%d deliveries are listed, want %d", len(seen), all)
		}
		if first := h.do(t, ada, "GET", at+"/1", "", 200); first["status"] != "OK" || first["status_code"] != 204.0 {
			t.Errorf("the oldest: %v", first)
		}
	})
}

// hookScenarios play every operation on hooks.
func hookScenarios(t testing.TB, h *testServer, ada, grace string) []routetest.Scenario {
	t.Helper()
	receiver := delivertest.NewReceiver(t)
	settle := h.receive(t, receiver)
	var out []routetest.Scenario
	id := map[string]string{"/repos/ada/talk/hooks": "1", "/orgs/lyceum/hooks": "2"}
	first := map[string]string{"/repos/ada/talk/hooks": "1", "/orgs/lyceum/hooks": "4"}
	for _, list := range []string{"/repos/ada/talk/hooks", "/orgs/lyceum/hooks"} {
		one := list + "/" + id[list]
		delivery := one + "/deliveries/" + first[list]
		for _, call := range []struct {
			method, url, body string
			status            int
			contains          string
		}{
			{"POST", list, `{"config":{"url":"` + receiver.URL + `","secret":"s"},"events":["push"]}`, 201, `"id":` + id[list]},
			{"GET", list, "", 200, `"events":["push"]`},
			{"GET", one, "", 200, `"secret":"********"`},
			{"PATCH", one, `{"add_events":["issues"],"active":true}`, 200, `"events":["push","issues"]`},
			{"POST", one + "/pings", "", 204, ""},
			{"POST", delivery + "/attempts", "", 409, "still being tried"},
			{"GET", one + "/deliveries", "", 200, `"status":"pending"`},
			{"GET", delivery, "", 200, `"status":"OK"`},
			{"POST", delivery + "/attempts", "", 202, "{}"},
			{"DELETE", one, "", 204, ""},
		} {
			var then func(*testing.T, *httptest.ResponseRecorder)
			if strings.HasSuffix(call.url, "/deliveries") {
				then = func(*testing.T, *httptest.ResponseRecorder) { settle() }
			}
			out = append(out,
				routetest.Scenario{
					Name: call.method + " " + call.url + " by another", Method: call.method, URL: call.url, Body: call.body,
					Caller: grace, Status: 404,
				},
				routetest.Scenario{
					Name: call.method + " " + call.url, Method: call.method, URL: call.url, Body: call.body, Caller: ada,
					Status: call.status, Contains: []string{call.contains}, Check: then,
				})
		}
	}
	for _, config := range []string{
		`{"url":"http://receiver.invalid"}`, `{"url":""}`, `{"url":"https://x.invalid","insecure_ssl":"1"}`,
		`{"url":"https://x.invalid","content_type":"xml"}`,
	} {
		out = append(out, routetest.Scenario{
			Name: "hook " + config, Method: "POST", URL: "/repos/ada/talk/hooks", Body: `{"config":` + config + `}`, Caller: ada,
			Status: 422,
		})
	}
	return out
}
