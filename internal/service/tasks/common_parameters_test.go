package tasks_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCommonParameters: what every operation of the API family takes.
func TestCommonParameters(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c client) {
		made := c.ok(200, "POST", "/lists/@default/tasks?fields=title,status", `{"title":"a"}`)
		if diff := cmp.Diff(map[string]any{"title": "a", "status": "needsAction"}, made); diff != "" {
			t.Errorf("insert with a mask (-want +got):\n%s", diff)
		}
		const tasks = "/lists/@default/tasks"
		list := c.call("GET", tasks+"?fields=items(title)", "")
		if got := list.Body.String(); got != `{"items":[{"title":"a"}]}` || list.Header().Get("ETag") == "" {
			t.Errorf("list with a mask: %s", got)
		}
		again := c.call("GET", tasks+"?fields=items(title)", "", "If-None-Match: "+list.Header().Get("ETag"))
		if again.Code != 304 {
			t.Errorf("the same again: %d", again.Code)
		}
		indented := c.call("GET", tasks+"?prettyPrint=true&fields=items/title&alt=json&quotaUser=x", "").Body.String()
		if want := "{\n  \"items\": [\n    {\n      \"title\": \"a\"\n    }\n  ]\n}"; indented != want {
			t.Errorf("indented: %s", indented)
		}
		for _, query := range []string{
			"?fields=nothing", "?fields=items/nothing", "?fields=items(", "?%66ields=nothing", "?alt=atom",
			"?prettyPrint=perhaps", "?callback=f",
		} {
			c.refused(400, "invalidParameter", "GET", tasks+query, "")
			c.refused(400, "invalidParameter", "POST", tasks+strings.ReplaceAll(query, "items", "title"), `{"title":"b"}`)
		}
		if got := c.titles("@default", ""); len(got) != 1 {
			t.Errorf("after refusals: %v, want one task", got)
		}
	})
}

// TestTokenInTheQuery: callers that cannot send headers send access_token.
func TestTokenInTheQuery(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c client) {
		for i := range 3 {
			c.insert("@default", `{"title":"`+string(rune('a'+i))+`"}`, "")
		}
		const path = "/tasks/v1/lists/@default/tasks?maxResults=2&access_token="
		w := c.h.Call("GET", path+c.token, "")
		if w.Code != 200 {
			t.Fatalf("with the token: %d %s", w.Code, w.Body)
		}
		if w := c.h.Call("GET", path+"wrong", ""); w.Code != 401 {
			t.Errorf("with another: %d", w.Code)
		}
		// A page token belongs to the list, however the caller presents itself.
		next := text(c.ok(200, "GET", "/lists/@default/tasks?maxResults=2", ""), "nextPageToken")
		if w := c.h.Call("GET", path+c.token+"&pageToken="+next, ""); w.Code != 200 {
			t.Errorf("the next page: %d %s", w.Code, w.Body)
		}
	})
}

// TestMethodOverride: a POST may name its true method.
func TestMethodOverride(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c client) {
		id := text(c.insert("@default", `{"title":"a"}`, ""), "id")
		path := "/lists/@default/tasks/" + id
		got := c.ok(200, "POST", path, `{"title":"b"}`, "X-HTTP-Method-Override: PATCH")
		if text(got, "title") != "b" {
			t.Errorf("patched: %v", got)
		}
		if got := c.ok(200, "POST", path, "", "X-HTTP-Method-Override: get"); text(got, "title") != "b" {
			t.Errorf("read: %v", got)
		}
		c.refused(400, "invalidParameter", "POST", path, `{}`, "X-HTTP-Method-Override: TRACE")
		c.refused(400, "invalidParameter", "POST", path, `a=b`, "X-HTTP-Method-Override: GET")
		c.ok(204, "POST", path, "", "X-HTTP-Method-Override: DELETE")
	})
}
