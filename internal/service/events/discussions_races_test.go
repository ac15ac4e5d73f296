package events_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// together does calls at the same time and wants all of them to succeed.
func (h *testServer) together(t *testing.T, token, method string, calls [][2]string) {
	t.Helper()
	var wg sync.WaitGroup
	for _, c := range calls {
		wg.Go(func() {
			if w := h.Call(method, c[0], c[1], "Authorization: Bearer "+token); w.Code >= http.StatusBadRequest {
				t.Errorf("%s %s %s: %d %s", method, c[0], c[1], w.Code, w.Body)
			}
		})
	}
	wg.Wait()
}

// TestNoChangeIsLost: changes of different things that come at the same time all stay.
func TestNoChangeIsLost(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		h.filled(t, "ada", "talk", false)
		ada, at := h.Token("ada"), "/repos/ada/talk"
		h.do(t, ada, "POST", at+"/issues", `{"title":"Shade"}`, 201)
		var labels [][2]string
		for i := range 12 {
			labels = append(labels, [2]string{at + "/issues/1/labels", fmt.Sprintf(`["l%d"]`, i)})
		}
		h.together(t, ada, "POST", labels)
		issue := h.do(t, ada, "GET", at+"/issues/1", "", 200)
		if got := len(issue["labels"].([]any)); got != len(labels) {
			t.Errorf("%d labels were added at once, %d are there", len(labels), got)
		}
		for i := range 8 {
			tag := fmt.Sprintf("v%d", i)
			made := h.do(t, ada, "POST", at+"/releases", `{"tag_name":"`+tag+`","draft":true}`, 201)
			path := fmt.Sprintf("%s/releases/%.0f", at, made["id"])
			h.together(t, ada, "PATCH", [][2]string{{path, `{"name":"n"}`}, {path, `{"body":"b"}`}})
			got := h.do(t, ada, "GET", path, "", 200)
			if got["name"] != "n" || got["body"] != "b" {
				t.Errorf("release %s has the name %v and the text %v, want n and b", tag, got["name"], got["body"])
			}
			label := at + "/labels/l" + fmt.Sprint(i)
			h.together(t, ada, "PATCH", [][2]string{{label, `{"color":"000000"}`}, {label, `{"description":"d"}`}})
			got = h.do(t, ada, "GET", label, "", 200)
			if got["color"] != "000000" || got["description"] != "d" {
				t.Errorf("label %s has the color %v and the text %v", label, got["color"], got["description"])
			}
		}
	})
}

// TestDeletedLabel: a label that is deleted is taken from its issues, and does not come back to them with a new one
// of its name.
func TestDeletedLabel(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		h.filled(t, "ada", "talk", false)
		ada, at := h.Token("ada"), "/repos/ada/talk"
		h.do(t, ada, "POST", at+"/issues", `{"title":"Shade","labels":["Bug","keep"]}`, 201)
		h.do(t, ada, "DELETE", at+"/labels/bug", "", 204)
		if got := h.get(at+"/issues?labels=bug", ada).Body.String(); strings.TrimSpace(got) != "[]" {
			t.Errorf("issues with the deleted label: %s", got)
		}
		h.do(t, ada, "POST", at+"/issues/1/labels", `["more"]`, 200)
		h.do(t, ada, "GET", at+"/labels/bug", "", 404)
		h.do(t, ada, "POST", at+"/labels", `{"name":"bug"}`, 201)
		if got := h.do(t, ada, "GET", at+"/issues/1", "", 200)["labels"].([]any); len(got) != 2 {
			t.Errorf("labels of the issue: %v, want keep and more", got)
		}
	})
}

// TestOnePullOfTwoBranches: there is one open pull request of two branches, also after another one is opened again or
// gets another base.
func TestOnePullOfTwoBranches(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		repo := h.filled(t, "ada", "talk", false)
		ada, at := h.Token("ada"), "/repos/ada/talk"
		if err := h.forge.CreateRef(t.Context(), repo, "refs/heads/other", "main", h.actor("ada")); err != nil {
			t.Fatal(err)
		}
		open := `{"title":"F","head":"feature/x","base":"main"}`
		h.do(t, ada, "POST", at+"/pulls", open, 201)
		h.do(t, ada, "PATCH", at+"/pulls/1", `{"state":"closed"}`, 200)
		h.do(t, ada, "POST", at+"/pulls", open, 201)
		h.do(t, ada, "PATCH", at+"/pulls/1", `{"state":"open"}`, 422)
		h.do(t, ada, "POST", at+"/pulls", strings.Replace(open, "main", "other", 1), 201)
		h.do(t, ada, "PATCH", at+"/pulls/3", `{"base":"main"}`, 422)
		h.do(t, ada, "PATCH", at+"/pulls/2", `{"state":"closed"}`, 200)
		h.do(t, ada, "PATCH", at+"/pulls/3", `{"base":"main"}`, 200)
	})
}
