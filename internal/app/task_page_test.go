package app_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestTaskPage: webViewLink leads to a page that shows the task to its owner alone.
func TestTaskPage(t *testing.T) {
	t.Parallel()
	a := start(t, config(t), false)
	ada, eve := signIn(t, a, "ada"), signIn(t, a, "eve")
	issued, err := a.RunCommand(t.Context(), "token issue", map[string][]string{
		"user": {"ada"}, "service": {"tasks"},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.URL()+"/tasks/v1/lists/@default/tasks",
		strings.NewReader(`{"title":"Buy <milk>"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+field(t, issued, "token"))
	_, made := ada.do(r)
	var task struct{ WebViewLink string }
	if err := json.Unmarshal([]byte(made), &task); err != nil {
		t.Fatal(err)
	}
	path := strings.TrimPrefix(task.WebViewLink, a.URL())
	if code, page := ada.get(path); code != http.StatusOK || !strings.Contains(page, "Buy &lt;milk&gt;") {
		t.Errorf("the owner: %d %s", code, page)
	}
	if code, page := eve.get(path); code != http.StatusNotFound || strings.Contains(page, "milk") {
		t.Errorf("another user: %d %s", code, page)
	}
	if code, page := newBrowser(t, a.URL()).get(path); code != http.StatusOK || !strings.Contains(page, "Sign in") {
		t.Errorf("without a session: %d %s", code, page)
	}
}
