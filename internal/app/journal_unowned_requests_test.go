package app_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/module"
)

// TestServerKeepsNoRequests: a server outside a lab keeps requests only while an
// operator watches, and then neither headers nor bodies.
func TestServerKeepsNoRequests(t *testing.T) {
	a := start(t, config(t), true)
	ask := func(path string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.URL()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer not-a-token")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
	}
	j := a.World().Journal
	ask("/tasks/v1/users/@me/lists")
	ask("/nowhere")
	if j.Mode() != journal.Brief || j.Count() != 2 {
		t.Fatalf("mode %d, %d requests: want those from before anybody looked", j.Mode(), j.Count())
	}
	ctx, cancel := context.WithCancel(t.Context())
	notes := make(chan string, 10)
	ended := make(chan error, 1)
	go func() {
		_, err := a.RunCommand(ctx, "requests tail", map[string][]string{"for": {"1m"}}, func(p module.Progress) {
			notes <- p.Note
		})
		ended <- err
	}()
	if first := <-notes; first != "" {
		t.Errorf("it begins with %q", first)
	}
	ask("/tasks/v1/users/@me/lists?token=secret")
	var line struct{ Operation, Query, Reason string }
	text := <-notes
	if err := json.Unmarshal([]byte(text), &line); err != nil || line.Operation != "tasklists.list" ||
		line.Query != "token=***" || line.Reason == "" || strings.Contains(text, "not-a-token") {
		t.Errorf("%s, %v", text, err)
	}
	for r := range j.OldestFirst() {
		if len(r.RequestHeader())+len(r.ResponseHeader()) > 0 || r.ResponseBody() != "" {
			t.Errorf("kept %v %v", r.RequestHeader(), r.ResponseHeader())
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	ask("/nowhere")
	if j.Mode() != journal.Brief || j.Count() != 4 {
		t.Errorf("afterwards: mode %d, %d requests", j.Mode(), j.Count())
	}
	for _, span := range []string{"0s", "2h"} {
		if _, err := a.RunCommand(t.Context(), "requests tail", map[string][]string{"for": {span}}, nil); err == nil {
			t.Errorf("--for %s is taken", span)
		}
	}
}

// TestUnownedPathsAreCounted: the log counts the bytes of an answer that no service gives.
func TestUnownedPathsAreCounted(t *testing.T) {
	a := start(t, config(t), false)
	_, body := get(t, a.URL()+"/nowhere", "")
	for _, e := range a.World().Telemetry.Recent() {
		if e.Path == "/nowhere" {
			if e.Bytes != int64(len(body)) || e.Bytes == 0 {
				t.Errorf("%d bytes of %d in the log", e.Bytes, len(body))
			}
			return
		}
	}
	t.Error("the request is not in the log")
}
