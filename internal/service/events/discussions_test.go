package events_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/service/events"
)

// discussionCalls tell a story of a repository, in order: method, address below it,
// body, a part of the answer. An empty part means an answer without a body.
func discussionCalls() [][4]string {
	return [][4]string{
		{"POST", "/labels", `{"name":"bug","color":"f29513","description":"d"}`, `"color":"f29513"`},
		{"GET", "/labels", "", `"name":"bug"`},
		{"GET", "/labels/BUG", "", `"name":"bug"`},
		{"PATCH", "/labels/bug", `{"color":"#000000"}`, `"color":"000000"`},
		{"POST", "/issues", `{"title":"Shade","body":"None at noon","labels":["bug"],"assignees":["ada"]}`, `"number":1`},
		{"GET", "/issues", "", `"title":"Shade"`},
		{"GET", "/issues/1", "", `"state":"open"`},
		{"PATCH", "/issues/1", `{"state":"closed","state_reason":"not_planned"}`, `"state_reason":"not_planned"`},
		{"GET", "/issues/1", "", `"closed_at":"2`},
		{"GET", "/issues/1/events", "", "[]"},
		{"POST", "/issues/1/labels", `["new"]`, `"name":"new"`},
		{"GET", "/issues/1/labels", "", `"name":"bug"`},
		{"DELETE", "/issues/1/labels/new", "", `"name":"bug"`},
		{"POST", "/issues/1/comments", `{"body":"Plant a tree"}`, `"body":"Plant a tree"`},
		{"GET", "/issues/1/comments", "", `"author_association":"OWNER"`},
		{"GET", "/issues/comments", "", `"body":"Plant a tree"`},
		{"GET", "/issues/comments/1", "", `/issues/1"`},
		{"PATCH", "/issues/comments/1", `{"body":"Two"}`, `"body":"Two"`},
		{"DELETE", "/issues/comments/1", "", ""},
		{"DELETE", "/labels/bug", "", ""},

		{"POST", "/commits/main/comments", `{"body":"Nice","path":"README.md","line":1}`, `"line":1`},
		{"GET", "/commits/main/comments", "", `"body":"Nice"`},
		{"GET", "/comments", "", `"body":"Nice"`},
		{"GET", "/comments/2", "", `"commit_id"`},
		{"PATCH", "/comments/2", `{"body":"Nicer"}`, `"body":"Nicer"`},
		{"DELETE", "/comments/2", "", ""},

		{"POST", "/pulls", `{"title":"Feature","head":"ada:feature/x","base":"main","body":"b"}`, `"number":2`},
		{"GET", "/pulls", "", `"label":"ada:feature/x"`},
		{"GET", "/pulls/2", "", `"mergeable":true`},
		{"GET", "/pulls/2.diff", "", "+x"},
		{"GET", "/pulls/2/commits", "", `"message":"Feature"`},
		{"GET", "/pulls/2/files", "", `"filename":"feature.txt"`},
		{"PATCH", "/pulls/2", `{"title":"The feature"}`, `"title":"The feature"`},
		{"POST", "/pulls/2/comments", `{"body":"Why x?","path":"feature.txt","line":1}`, `"diff_hunk":"@@`},
		{"GET", "/pulls/2/comments", "", `"body":"Why x?"`},
		{"GET", "/pulls/comments", "", `"path":"feature.txt"`},
		{"GET", "/pulls/comments/3", "", `"position":1`},
		{"PATCH", "/pulls/comments/3", `{"body":"Why?"}`, `"body":"Why?"`},
		{"POST", "/pulls/2/reviews", `{"event":"COMMENT","body":"So so","comments":[{"path":"feature.txt","line":1,"body":"x"}]}`,
			`"state":"COMMENTED"`},
		{"GET", "/pulls/2/reviews", "", `"body":"So so"`},
		{"GET", "/pulls/2/reviews/1", "", `"commit_id"`},
		{"GET", "/pulls/2/reviews/1/comments", "", `"pull_request_review_id":1`},
		{"PUT", "/pulls/2/reviews/1", `{"body":"Fine"}`, `"body":"Fine"`},
		{"DELETE", "/pulls/comments/3", "", ""},
		{"PUT", "/pulls/2/merge", `{}`, `"merged":true`},
		{"GET", "/pulls/2/merge", "", ""},

		{"POST", "/releases", `{"tag_name":"v2.0","name":"Two","body":"notes"}`, `"tag_name":"v2.0"`},
		{"POST", "/releases", `{"tag_name":"v3.0","draft":true}`, `"published_at":null`},
		{"GET", "/releases", "", `"draft":true`},
		{"GET", "/releases/latest", "", `"tag_name":"v2.0"`},
		{"GET", "/releases/tags/v2.0", "", `"id":1`},
		{"GET", "/releases/1", "", `"name":"Two"`},
		{"GET", "/releases/1/assets", "", "[]"},
		{"PATCH", "/releases/2", `{"draft":false,"prerelease":true}`, `"prerelease":true`},
		{"DELETE", "/releases/2", "", ""},
	}
}

// discussionScenarios play the story, and every call again for a repository that is not
// there.
func discussionScenarios(t testing.TB, h *testServer, ada, grace string) []routetest.Scenario {
	t.Helper()
	h.filled(t, "ada", "talk", false)
	var out []routetest.Scenario
	add := func(caller, name string, call [4]string, status int, contains ...string) {
		out = append(out, routetest.Scenario{
			Name: name + " " + call[0] + " " + call[1], Method: call[0], URL: "/repos/ada/talk" + call[1], Body: call[2],
			Caller: caller, Status: status, Contains: contains,
		})
	}
	for _, call := range discussionCalls() {
		status := http.StatusOK
		switch {
		case call[3] == "":
			status = http.StatusNoContent
		case call[0] == "POST" && !strings.HasSuffix(call[1], "/labels") && !strings.HasSuffix(call[1], "/reviews"),
			call[0] == "POST" && call[1] == "/labels":
			status = http.StatusCreated
		}
		add(ada, "discuss", call, status, call[3])
		out = append(out, routetest.Scenario{
			Name: "no " + call[0] + " " + call[1], Method: call[0], URL: "/repos/ada/none" + call[1], Body: call[2],
			Caller: ada, Status: http.StatusNotFound,
		})
	}
	// One who may read reviews the pull request; the owner dismisses it.
	add(grace, "review", [4]string{"POST", "/pulls/2/reviews", `{"event":"APPROVE"}`}, http.StatusOK, `"state":"APPROVED"`)
	dismissal := [4]string{"PUT", "/pulls/2/reviews/2/dismissals", `{"message":"Too late"}`}
	add(grace, "may not", dismissal, http.StatusForbidden)
	add(ada, "dismiss", dismissal, http.StatusOK, `"state":"DISMISSED"`)
	return out
}

// do does one call of a story and wants its status.
func (h *testServer) do(t testing.TB, token, method, path, body string, want int) map[string]any {
	t.Helper()
	w := h.Call(method, path, body, "Authorization: Bearer "+token)
	if w.Code != want {
		t.Fatalf("%s %s %s: %d %s, want %d", method, path, body, w.Code, w.Body, want)
	}
	out := map[string]any{}
	if w.Body.Len() > 0 && w.Body.Bytes()[0] == '{' {
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// eventWords are "Type action" of a feed, oldest first.
func eventWords(t testing.TB, h *testServer, path, token string) []string {
	t.Helper()
	var list []struct {
		Type    string
		Payload struct{ Action string }
	}
	w := h.get(path, token)
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
		t.Fatalf("%s: %v: %s", path, err, w.Body)
	}
	var out []string
	for _, e := range list {
		out = append(out, strings.TrimSpace(e.Type+" "+e.Payload.Action))
	}
	slices.Reverse(out)
	return out
}

// TestDiscussionEvents: each act causes its event, whose payload fits its type, and
// refused acts cause none.
func TestDiscussionEvents(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		h.filled(t, "ada", "talk", false)
		ada, grace := h.Token("ada"), h.Token("grace")
		before := len(eventWords(t, h, "/repos/ada/talk/events?per_page=100", ada))
		at := "/repos/ada/talk"
		h.do(t, grace, "POST", at+"/issues", `{"title":"Shade"}`, 201)
		h.do(t, grace, "POST", at+"/issues", `{"title":"Sun","labels":["x"]}`, 403)
		h.do(t, ada, "PATCH", at+"/issues/1", `{"labels":["bug"],"assignees":["ada"],"state":"closed"}`, 200)
		h.do(t, ada, "PATCH", at+"/issues/1", `{"labels":[],"assignees":[],"state":"open"}`, 200)
		h.do(t, ada, "PATCH", at+"/issues/1", `{"title":"Shade!"}`, 200)
		if open := h.do(t, grace, "GET", at, "", 200)["open_issues_count"]; open != 1.0 {
			t.Errorf("%v issues are open, want 1", open)
		}
		h.do(t, grace, "POST", at+"/issues/1/comments", `{"body":"please"}`, 201)
		h.do(t, grace, "POST", at+"/issues/1/comments", `{"body":""}`, 422)
		h.do(t, grace, "POST", at+"/commits/main/comments", `{"body":"nice"}`, 201)
		h.do(t, ada, "POST", at+"/pulls", `{"title":"F","head":"feature/x","base":"main"}`, 201)
		h.do(t, ada, "POST", at+"/pulls", `{"title":"F","head":"feature/x","base":"main"}`, 422)
		h.do(t, grace, "POST", at+"/pulls/2/reviews", `{"event":"APPROVE"}`, 200)
		h.do(t, ada, "POST", at+"/pulls/2/reviews", `{"event":"APPROVE"}`, 422)
		h.do(t, ada, "PUT", at+"/pulls/2/reviews/1/dismissals", `{"message":"no"}`, 200)
		h.do(t, grace, "POST", at+"/pulls/2/comments", `{"body":"?","path":"feature.txt","line":9}`, 422)
		h.do(t, grace, "POST", at+"/pulls/2/comments", `{"body":"?","path":"feature.txt","line":1}`, 201)
		h.do(t, grace, "PUT", at+"/pulls/2/merge", `{}`, 403)
		h.do(t, ada, "PUT", at+"/pulls/2/merge", `{"sha":"`+forge.Zero+`"}`, 409)
		merged := h.do(t, ada, "PUT", at+"/pulls/2/merge", ``, 200)
		h.do(t, ada, "PUT", at+"/pulls/2/merge", ``, 405)
		h.do(t, ada, "POST", at+"/releases", `{"tag_name":"v9","target_commitish":"main"}`, 201)
		h.do(t, ada, "POST", at+"/releases", `{"tag_name":"v9"}`, 422)
		got := eventWords(t, h, at+"/events?per_page=100", ada)[before:]
		want := []string{
			"IssuesEvent opened", "IssuesEvent closed", "IssuesEvent labeled", "IssuesEvent assigned",
			"IssuesEvent reopened", "IssuesEvent unlabeled", "IssuesEvent unassigned", "IssueCommentEvent created",
			"CommitCommentEvent created", "PullRequestEvent opened", "PullRequestReviewEvent created",
			"PullRequestReviewEvent dismissed", "PullRequestReviewCommentEvent created", "PushEvent",
			"PullRequestEvent merged", "CreateEvent", "ReleaseEvent published",
		}
		if !slices.Equal(got, want) {
			t.Errorf("events:\n%q\nwant\n%q", got, want)
		}
		checkPayloads(t, h, at+"/events?per_page=100")
		repo, _, err := h.forge.Find(t.Context(), "ada", "talk")
		if err != nil {
			t.Fatal(err)
		}
		c, err := h.forge.Commit(t.Context(), repo, "main")
		if err != nil || c.SHA != merged["sha"] || len(c.Parents) != 2 {
			t.Errorf("main is %+v (%v), want the merge %v of two parents", c, err, merged["sha"])
		}
		if err := h.forge.Delete(t.Context(), repo.ID, h.actor("ada")); err != nil {
			t.Fatal(err)
		}
		h.filled(t, "ada", "talk", false)
		if w := h.get(at+"/issues?state=all", ada); strings.TrimSpace(w.Body.String()) != "[]" {
			t.Errorf("a new repository has the issues of the old: %s", w.Body)
		}
	})
}

// checkPayloads holds what a feed shows against the schemas of its types.
func checkPayloads(t testing.TB, h *testServer, path string) {
	t.Helper()
	for _, version := range []string{"2022-11-28", "2026-03-10"} {
		w := h.get(path, "", "X-Vendor-Api-Version: "+version)
		var list []struct {
			Type    events.Type
			Payload json.RawMessage
		}
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, e := range list {
			if err := events.CheckPayload(e.Type, e.Payload); err != nil {
				t.Errorf("%s of %s: %v: %s", e.Type, version, err, e.Payload)
			}
		}
		if later := version != "2022-11-28"; strings.Contains(w.Body.String(), `"assignee":null`) == later {
			t.Errorf("%s: the single assignee shows %v", version, !later)
		}
	}
}

// TestDiscussionPrivacy: a private repository's discussions are not found by others, and
// a token without the scope is told which it lacks.
func TestDiscussionPrivacy(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		h.filled(t, "ada", "secret", true)
		ada := h.Token("ada")
		at := "/repos/ada/secret"
		h.do(t, ada, "POST", at+"/issues", `{"title":"Hidden"}`, 201)
		h.do(t, ada, "POST", at+"/pulls", `{"title":"F","head":"feature/x","base":"main"}`, 201)
		h.do(t, ada, "POST", at+"/releases", `{"tag_name":"v9"}`, 201)
		narrow := h.Token("ada", forge.ScopeMetadataRead)
		for _, path := range []string{
			"/issues", "/issues/1", "/issues/1/comments", "/labels", "/pulls", "/pulls/2", "/pulls/2.diff", "/releases",
			"/releases/1", "/comments",
		} {
			for token, want := range map[string]int{ada: 200, h.Token("grace"): 404, "": 404, narrow: 403} {
				if w := h.get(at+path, token); w.Code != want {
					t.Errorf("%s: %d, want %d", path, w.Code, want)
				}
			}
		}
		if got := eventWords(t, h, "/events", ""); len(got) != 0 {
			t.Errorf("the public feed shows %v", got)
		}
	})
}

// discuss plays the story of a repository up to the merge, without what deletes.
func discuss(t testing.TB, h *testServer, at, token string) {
	t.Helper()
	for _, call := range discussionCalls() {
		if call[0] == "DELETE" {
			continue
		}
		w := h.Call(call[0], at+call[1], call[2], "Authorization: Bearer "+token)
		if w.Code >= http.StatusBadRequest || !strings.Contains(w.Body.String(), call[3]) {
			t.Fatalf("%s %s: %d %s", call[0], call[1], w.Code, w.Body)
		}
	}
}
