package tasks_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/tasks"
)

func build(c tasks.Config) identitytest.Build {
	return func(w *world.World, identity *identity.Identity) module.Module {
		return tasks.New(w, identity, c).Module()
	}
}

// client calls the service as one user.
type client struct {
	t     *testing.T
	h     *identitytest.Server
	token string
}

func (c client) call(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	c.t.Helper()
	return c.h.Call(method, "/tasks/v1"+path, body, append(headers, "Authorization: Bearer "+c.token)...)
}

// ok is a call that must answer the status; it returns the body.
func (c client) ok(status int, method, path, body string, headers ...string) map[string]any {
	c.t.Helper()
	w := c.call(method, path, body, headers...)
	if w.Code != status {
		c.t.Fatalf("%s %s = %d %s, want %d", method, path, w.Code, w.Body, status)
	}
	var out map[string]any
	if w.Body.Len() > 0 {
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
			c.t.Fatal(err)
		}
	}
	return out
}

// refused is a call that must fail in the service's envelope.
func (c client) refused(status int, reason, method, path, body string, headers ...string) {
	c.t.Helper()
	out := c.ok(status, method, path, body, headers...)
	e, _ := out["error"].(map[string]any)
	list, _ := e["errors"].([]any)
	if e["code"] != float64(status) || e["message"] == "" || len(list) != 1 ||
		list[0].(map[string]any)["reason"] != reason {
		c.t.Errorf("%s %s: error %v, want reason %s", method, path, e, reason)
	}
}

func (c client) insert(list, body, query string) map[string]any {
	c.t.Helper()
	return c.ok(200, "POST", "/lists/"+list+"/tasks"+query, body)
}

// titles of a list as they come, children indented.
func (c client) titles(list, query string) []string {
	c.t.Helper()
	var out []string
	for _, item := range c.ok(200, "GET", "/lists/"+list+"/tasks"+query, "")["items"].([]any) {
		out = append(out, item.(map[string]any)["title"].(string))
	}
	return out
}

func on(t *testing.T, fn func(t *testing.T, c client)) {
	t.Helper()
	identitytest.Run(t, build(tasks.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		fn(t, client{t, h, h.Token("ada")})
	})
}

func text(m map[string]any, name string) string { s, _ := m[name].(string); return s }

func TestLists(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c client) {
		first := c.ok(200, "GET", "/users/@me/lists/@default", "")
		if text(first, "title") != "My Tasks" || text(first, "kind") != "tasks#taskList" {
			t.Errorf("default list = %v", first)
		}
		made := c.ok(200, "POST", "/users/@me/lists", `{"title":"Groceries"}`)
		path := "/users/@me/lists/" + text(made, "id")
		if diff := cmp.Diff(made, c.ok(200, "GET", path, "")); diff != "" {
			t.Errorf("get (-insert +get):\n%s", diff)
		}
		c.h.Clock.Advance(time.Second)
		patched := c.ok(200, "PATCH", path, `{"title":"Food"}`)
		changed := patched["etag"] != made["etag"] && patched["updated"] != made["updated"]
		if text(patched, "title") != "Food" || !changed {
			t.Errorf("patched = %v", patched)
		}
		if same := c.ok(200, "PATCH", path, `{}`); text(same, "title") != "Food" {
			t.Errorf("an empty patch made %v", same)
		}
		if replaced := c.ok(200, "PUT", path, `{}`); text(replaced, "title") != "" {
			t.Errorf("an empty update made %v", replaced)
		}
		items := c.ok(200, "GET", "/users/@me/lists", "")["items"].([]any)
		if len(items) != 2 {
			t.Errorf("%d lists, want 2", len(items))
		}
		c.ok(204, "DELETE", path, "")
		c.refused(404, "notFound", "GET", path, "")
		c.refused(400, "invalid", "DELETE", "/users/@me/lists/@default", "")
		c.refused(400, "invalid", "PUT", "/users/@me/lists/@default", `{"id":"other","title":"x"}`)
		// What get answers can be sent back, under either name.
		whole := c.ok(200, "PUT", "/users/@me/lists/@default", `{"id":"`+text(first, "id")+`","title":"Renamed"}`)
		if text(whole, "title") != "Renamed" || text(whole, "id") != text(first, "id") {
			t.Errorf("the default list by its id = %v", whole)
		}
	})
}

func TestTasks(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c client) {
		made := c.insert("@default", `{"title":"Milk","notes":"2 l","due":"2030-05-06T17:30:00+02:00","unknown":1}`, "")
		for name, want := range map[string]any{
			"kind": "tasks#task", "title": "Milk", "notes": "2 l", "status": "needsAction",
			"due": "2030-05-06T00:00:00.000Z", "updated": c.h.Clock.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
			"completed": nil, "hidden": nil, "deleted": nil, "parent": nil,
		} {
			if diff := cmp.Diff(want, made[name]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		path := "/lists/@default/tasks/" + text(made, "id")
		done := c.ok(200, "PATCH", path, `{"status":"completed"}`)
		if text(done, "completed") == "" || text(done, "notes") != "2 l" {
			t.Errorf("completed = %v", done)
		}
		open := c.ok(200, "PATCH", path, `{"status":"needsAction","due":null}`)
		if open["completed"] != nil || open["due"] != nil {
			t.Errorf("reopened = %v", open)
		}
		replaced := c.ok(200, "PUT", path, `{"title":"Oat milk"}`)
		if replaced["notes"] != nil || text(replaced, "title") != "Oat milk" {
			t.Errorf("replaced = %v", replaced)
		}
		c.ok(204, "DELETE", path, "")
		c.refused(404, "notFound", "GET", path, "")
		c.refused(404, "notFound", "DELETE", path, "")
		c.refused(404, "notFound", "PATCH", path, `{"title":"x"}`)
		if got := c.titles("@default", "?showDeleted=true"); len(got) != 1 {
			t.Errorf("deleted tasks = %v, want one", got)
		}
		if got := c.titles("@default", ""); len(got) != 0 {
			t.Errorf("tasks = %v, want none", got)
		}
	})
}

func TestClear(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c client) {
		c.insert("@default", `{"title":"open"}`, "")
		done := c.insert("@default", `{"title":"done","status":"completed"}`, "")
		c.ok(204, "POST", "/lists/@default/clear", "")
		if diff := cmp.Diff([]string{"open"}, c.titles("@default", "")); diff != "" {
			t.Errorf("after clear (-want +got):\n%s", diff)
		}
		if got := c.titles("@default", "?showHidden=true"); len(got) != 2 {
			t.Errorf("with hidden ones = %v, want two", got)
		}
		path := "/lists/@default/tasks/" + text(done, "id")
		hidden := c.ok(200, "GET", path, "")
		if hidden["hidden"] != true || text(hidden, "position") < "09" {
			t.Errorf("hidden = %v", hidden)
		}
		c.refused(400, "invalid", "POST", path+"/move?parent="+text(done, "id"), "")
		if shown := c.ok(200, "PATCH", path, `{"status":"needsAction"}`); shown["hidden"] != nil {
			t.Errorf("reopened = %v", shown)
		}
	})
}

func TestOrderAndMoves(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c client) {
		a := c.insert("@default", `{"title":"a"}`, "")
		b := c.insert("@default", `{"title":"b"}`, "?previous="+text(a, "id"))
		sub := c.insert("@default", `{"title":"b1"}`, "?parent="+text(b, "id"))
		c.insert("@default", `{"title":"first"}`, "")
		want := func(titles ...string) {
			t.Helper()
			if diff := cmp.Diff(titles, c.titles("@default", "")); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
		}
		want("first", "a", "b", "b1")
		move := func(task map[string]any, query string) map[string]any {
			t.Helper()
			return c.ok(200, "POST", "/lists/@default/tasks/"+text(task, "id")+"/move"+query, "")
		}
		moved := move(b, "")
		want("b", "first", "a", "b1")
		if text(moved, "position") == text(b, "position") {
			t.Errorf("position stayed %v", moved["position"])
		}
		move(sub, "?previous="+text(a, "id"))
		want("b", "first", "a", "b1")
		move(sub, "?parent="+text(b, "id"))

		other := text(c.ok(200, "POST", "/users/@me/lists", `{"title":"other"}`), "id")
		before := c.ok(200, "GET", "/lists/@default/tasks/"+text(sub, "id"), "")
		c.h.Clock.Advance(time.Minute)
		moved = move(b, "?destinationTasklist="+other)
		want("first", "a")
		taken := c.ok(200, "GET", "/lists/"+other+"/tasks/"+text(sub, "id"), "")
		if taken["etag"] == before["etag"] || taken["updated"] != moved["updated"] {
			t.Errorf("the child that was taken along = %v, want a change at %v", taken, moved["updated"])
		}
		if diff := cmp.Diff([]string{"b", "b1"}, c.titles(other, "")); diff != "" {
			t.Errorf("moved with its child (-want +got):\n%s", diff)
		}
		path := "/lists/" + other + "/tasks/" + text(b, "id") + "/move"
		c.refused(400, "invalid", "POST", path+"?parent="+text(sub, "id"), "")
		c.refused(400, "invalid", "POST", path+"?parent="+text(b, "id"), "")
		c.refused(400, "invalid", "POST", path+"?previous="+text(a, "id"), "")
		c.refused(404, "notFound", "POST", path+"?destinationTasklist=nowhere", "")

		c.ok(204, "DELETE", "/lists/"+other+"/tasks/"+text(b, "id"), "")
		if got := c.titles(other, ""); len(got) != 0 {
			t.Errorf("children of a deleted task = %v, want none", got)
		}
	})
}

func TestFilters(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c client) {
		for _, body := range []string{
			`{"title":"plain"}`,
			`{"title":"due 16","due":"2030-01-16T00:00:00Z"}`,
			`{"title":"due 17","due":"2030-01-17T00:00:00Z"}`,
			`{"title":"done","status":"completed","completed":"2030-02-01T10:00:00Z"}`,
		} {
			c.insert("@default", body, "")
			c.h.Clock.Advance(time.Minute)
		}
		for query, want := range map[string][]string{
			"?showCompleted=false":                             {"due 17", "due 16", "plain"},
			"?dueMin=2030-01-17T00:00:00Z":                     {"due 17"},
			"?dueMax=2030-01-16T23:59:59Z":                     nil,
			"?dueMax=2030-01-17T00:00:00Z":                     {"due 16"},
			"?completedMin=2030-02-01T00:00:00Z":               {"done"},
			"?completedMax=2030-01-01T00:00:00Z":               nil,
			"?updatedMin=2026-03-04T05:09:00Z":                 {"done"},
			"?updatedMin=2026-03-04T05:09:00Z&showHidden=true": {"done"},
		} {
			if diff := cmp.Diff(want, c.titles("@default", query)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}
		for _, bad := range []string{
			"dueMin=2030-01-17", "showHidden=perhaps", "maxResults=-1", "pageToken=x", "updatedMin=yesterday",
		} {
			c.refused(400, "invalid", "GET", "/lists/@default/tasks?"+bad, "")
		}
	})
}

func TestPages(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c client) {
		want := []string{}
		for i := range 7 {
			want = append([]string{fmt.Sprint(i)}, want...)
			c.insert("@default", fmt.Sprintf(`{"title":"%d"}`, i), "")
		}
		var got []string
		token := ""
		for pages := 0; ; pages++ {
			out := c.ok(200, "GET", "/lists/@default/tasks?maxResults=3&pageToken="+token, "")
			for _, item := range out["items"].([]any) {
				got = append(got, text(item.(map[string]any), "title"))
			}
			if token = text(out, "nextPageToken"); token == "" {
				if pages != 2 {
					t.Errorf("%d pages, want 3", pages+1)
				}
				break
			}
			c.refused(400, "invalid", "GET", "/lists/@default/tasks?showHidden=true&pageToken="+token, "")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("all pages (-want +got):\n%s", diff)
		}
	})
}

func TestConditions(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c client) {
		made := c.insert("@default", `{"title":"x"}`, "")
		path, tag := "/lists/@default/tasks/"+text(made, "id"), text(made, "etag")
		w := c.call("GET", path, "", "If-None-Match: "+tag)
		if w.Code != http.StatusNotModified || w.Header().Get("ETag") != tag {
			t.Errorf("get = %d %v, want 304", w.Code, w.Header())
		}
		page := c.call("GET", "/lists/@default/tasks", "")
		w = c.call("GET", "/lists/@default/tasks", "", "If-None-Match: "+page.Header().Get("ETag"))
		if w.Code != http.StatusNotModified {
			t.Errorf("list = %d, want 304", w.Code)
		}
		if w := c.call("GET", path, "", "If-None-Match: W/"+tag); w.Code != http.StatusNotModified {
			t.Errorf("with the weak form = %d, want 304", w.Code)
		}
		c.refused(412, "conditionNotMet", "PATCH", path, `{"title":"y"}`, "If-Match: W/"+tag)
		c.refused(412, "conditionNotMet", "DELETE", path, "", "If-Match: W/"+tag)
		c.ok(200, "PATCH", path, `{"title":"y"}`, `If-Match: W/"x", `+tag)
		c.refused(412, "conditionNotMet", "PATCH", path, `{"title":"z"}`, "If-Match: "+tag)
		c.refused(412, "conditionNotMet", "DELETE", path, "", "If-Match: "+tag)
		c.refused(412, "conditionNotMet", "DELETE", path, "", "If-Match: ")
		if w := c.call("GET", "/lists/@default/tasks", "", "If-None-Match: "+page.Header().Get("ETag")); w.Code != 200 {
			t.Errorf("a changed list = %d, want 200", w.Code)
		}
		first := c.call("GET", "/lists/@default/tasks?maxResults=1", "").Header().Get("ETag")
		c.insert("@default", `{"title":"behind"}`, "?previous="+text(made, "id"))
		if w := c.call("GET", "/lists/@default/tasks?maxResults=1", "", "If-None-Match: "+first); w.Code != 200 {
			t.Errorf("a page that is the last no longer = %d, want 200", w.Code)
		}
	})
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c client) {
		title := `{"title":"` + strings.Repeat("é", 1025) + `"}`
		notes := `{"notes":"` + strings.Repeat("x", 8193) + `"}`
		year := `{"status":"completed","completed":"9999-12-31T23:00:00-05:00"}`
		for name, row := range map[string]struct {
			status               int
			reason, method, path string
			body                 string
		}{
			"title too long":    {400, "invalid", "POST", "/lists/@default/tasks", title},
			"notes too long":    {400, "invalid", "POST", "/lists/@default/tasks", notes},
			"unknown status":    {400, "invalid", "POST", "/lists/@default/tasks", `{"status":"done"}`},
			"day only":          {400, "invalid", "POST", "/lists/@default/tasks", `{"due":"2030-01-01"}`},
			"year 10000":        {400, "invalid", "POST", "/lists/@default/tasks", year},
			"empty due":         {400, "invalid", "POST", "/lists/@default/tasks", `{"due":""}`},
			"wrong type":        {400, "parseError", "POST", "/lists/@default/tasks", `{"title":1}`},
			"broken":            {400, "parseError", "POST", "/lists/@default/tasks", `{`},
			"unknown list":      {404, "notFound", "POST", "/lists/nowhere/tasks", `{}`},
			"unknown parent":    {400, "invalid", "POST", "/lists/@default/tasks?parent=x", `{}`},
			"unknown previous":  {400, "invalid", "POST", "/lists/@default/tasks?previous=x", `{}`},
			"hidden but open":   {400, "invalid", "POST", "/lists/@default/tasks?hidden=true", `{}`},
			"unknown operation": {404, "notFound", "GET", "/lists", ``},
			"wrong method":      {405, "httpMethodNotAllowed", "PUT", "/lists/@default/clear", ``},
		} {
			t.Run(name, func(t *testing.T) {
				c := c
				c.t = t
				c.refused(row.status, row.reason, row.method, row.path, row.body)
			})
		}
		longest := c.insert("@default",
			`{"title":"`+strings.Repeat("é", 1024)+`","notes":"`+strings.Repeat("x", 8192)+`"}`, "")
		if len([]rune(text(longest, "title"))) != 1024 {
			t.Error("the longest title was cut")
		}
	})
}

// TestEveryRouteGuardsItsData calls every operation without a token, with junk,
// with too little scope, and as another user.
func TestEveryRouteGuardsItsData(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(tasks.DefaultConfig()))
	ada := client{t, h, h.Token("ada")}
	list := text(ada.ok(200, "POST", "/users/@me/lists", `{"title":"mine"}`), "id")
	task := text(ada.insert(list, `{"title":"mine"}`, ""), "id")
	readOnly, guest := h.Token("ada", "tasks.readonly"), h.Token("grace")
	for _, r := range h.Module.Routes {
		t.Run(r.Name, func(t *testing.T) {
			path := strings.NewReplacer("{tasklist}", list, "{task}", task).Replace(r.Pattern)
			body := ""
			if r.Method == "POST" || r.Method == "PUT" || r.Method == "PATCH" {
				body = "{}"
			}
			if w := h.Call(r.Method, path, body); w.Code != 401 {
				t.Errorf("no token: %d, want 401", w.Code)
			}
			if w := h.Call(r.Method, path, body, "Authorization: Bearer junk"); w.Code != 401 {
				t.Errorf("junk: %d, want 401", w.Code)
			}
			if r.Method != "GET" {
				if w := h.Call(r.Method, path, body, "Authorization: Bearer "+readOnly); w.Code != 403 {
					t.Errorf("reader: %d, want 403", w.Code)
				}
			}
			if strings.Contains(r.Pattern, "{tasklist}") {
				if w := h.Call(r.Method, path, body, "Authorization: Bearer "+guest); w.Code != 404 {
					t.Errorf("another user: %d %s, want 404", w.Code, w.Body)
				}
			}
		})
	}
	if got := ada.titles(list, ""); len(got) != 1 {
		t.Errorf("tasks afterwards = %v, want one", got)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	c := tasks.Config{RequestsPerDay: 40, MaxLists: 2, MaxListTasks: 2, MaxTasks: 3, MaxChildren: 1}
	identitytest.Run(t, build(c), func(t *testing.T, h *identitytest.Server) {
		c := client{t, h, h.Token("ada")}
		other := text(c.ok(200, "POST", "/users/@me/lists", `{"title":"2"}`), "id")
		c.refused(403, "quotaExceeded", "POST", "/users/@me/lists", `{"title":"3"}`)
		parent := c.insert("@default", `{}`, "")
		child := c.insert("@default", `{}`, "?parent="+text(parent, "id"))
		c.refused(403, "quotaExceeded", "POST", "/lists/@default/tasks", `{}`)
		c.insert(other, `{}`, "")
		c.refused(403, "quotaExceeded", "POST", "/lists/"+other+"/tasks", `{}`)
		c.ok(204, "DELETE", "/lists/@default/tasks/"+text(child, "id"), "")
		c.insert("@default", `{}`, "")
		c.refused(403, "quotaExceeded", "POST", "/lists/@default/tasks?parent="+text(parent, "id"), `{}`)
		for range 40 {
			if w := c.call("GET", "/users/@me/lists", ""); w.Code == 429 {
				return
			}
		}
		t.Error("the daily budget never ended")
	})
}

// TestDeletedTasksArePurged checks that deleted tasks do not pile up: they are
// removed after their time, and at once when they and the others are more than a
// user may have.
func TestDeletedTasksArePurged(t *testing.T) {
	t.Parallel()
	config := tasks.DefaultConfig()
	config.MaxTasks = 4
	identitytest.Run(t, build(config), func(t *testing.T, h *identitytest.Server) {
		c := client{t, h, h.Token("ada")}
		rows := func(want ...string) {
			t.Helper()
			got := c.titles("@default", "?showDeleted=true&showHidden=true")
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("kept %v, want %v", got, want)
			}
		}
		for i := range 6 {
			h.Clock.Advance(time.Second)
			task := c.insert("@default", fmt.Sprintf(`{"title":"gone %d"}`, i), "")
			c.ok(204, "DELETE", "/lists/@default/tasks/"+text(task, "id"), "")
		}
		rows("gone 2", "gone 3", "gone 4", "gone 5")
		h.Clock.Advance(time.Second)
		c.insert("@default", `{"title":"born gone","deleted":true}`, "")
		rows("born gone", "gone 3", "gone 4", "gone 5")
		for i := range 3 {
			c.insert("@default", fmt.Sprintf(`{"title":"kept %d"}`, i), "")
		}
		rows("born gone", "kept 0", "kept 1", "kept 2")
		h.Clock.Advance(29 * 24 * time.Hour)
		if err := h.World.Jobs.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		rows("born gone", "kept 0", "kept 1", "kept 2")
		h.Clock.Advance(2 * 24 * time.Hour)
		if err := h.World.Jobs.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		rows("kept 0", "kept 1", "kept 2")
		c.insert("@default", `{"title":"kept 3"}`, "")
		c.refused(403, "quotaExceeded", "POST", "/lists/@default/tasks", `{}`)
	})
}
