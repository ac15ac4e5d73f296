package adversary_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/adversary"
	"stoa.dev/stoa/test/program"
)

const (
	// readers ask for each page at once.
	readers = 20
	// maxAnswer is how long an answer may be that is not sent in parts, whatever is stored.
	maxAnswer = 32 << 20
	// longAnswer is from which bytes on the short form has all readers ask at once.
	longAnswer = 256 << 10
)

// fills are the largest rows of the services whose pages repeat what callers wrote.
func fills(owner, repo string) []adversary.Fill {
	long := func(bytes int) string { return strings.Repeat("a ", bytes/2) }
	repository := "/repos/" + owner + "/" + repo
	object := func(members map[string]any) string {
		text, err := json.Marshal(members)
		if err != nil {
			panic(err)
		}
		return string(text)
	}
	return []adversary.Fill{
		{"tasks", "POST", "/tasks/v1/lists/@default/tasks", 100, func(int) string {
			return object(map[string]any{"title": long(1000), "notes": strings.Repeat("\x01", 8000)})
		}},
		{"articles", "POST", "/api/v2/items", 40, func(n int) string {
			tags := []any{map[string]any{"name": "go"}}
			return object(map[string]any{"title": fmt.Sprint("long ", n), "body": long(900 << 10), "tags": tags})
		}},
		{"events", "POST", repository + "/events", 30, func(int) string {
			payload := map[string]any{"action": "started", "more": long(400 << 10)}
			return object(map[string]any{"type": "WatchEvent", "payload": payload})
		}},
		{"events", "POST", repository + "/issues", 25, func(n int) string {
			return object(map[string]any{"title": fmt.Sprint("long ", n), "body": long(65000)})
		}},
		{"events", "POST", repository + "/issues/1/comments", 20, func(int) string {
			return object(map[string]any{"body": long(65000)})
		}},
		{"calendar", "POST", "/calendar/v3/calendars/primary/events", 5, func(n int) string {
			private := map[string]any{}
			for i := range 90 {
				private[fmt.Sprint("p", i)] = long(1000)
			}
			return object(map[string]any{
				"summary": fmt.Sprint("long ", n), "recurrence": []string{"RRULE:FREQ=DAILY;COUNT=40"},
				"start":              map[string]any{"dateTime": "2026-03-10T09:00:00Z", "timeZone": "UTC"},
				"end":                map[string]any{"dateTime": "2026-03-10T10:00:00Z", "timeZone": "UTC"},
				"extendedProperties": map[string]any{"private": private},
			})
		}},
		{"snapshots", "POST", "/api/v1/events", 100, func(n int) string {
			return object(map[string]any{"title": fmt.Sprint("long ", n), "text": long(4000)})
		}},
	}
}

// TestLargestPages stores the largest rows, one by one as any caller can, and asks for the largest page of every list:
// answers have a bound, the process lives and its memory is bounded, and the caller beside is answered.
// With -full every reading operation is asked by all callers, otherwise the lists that are long.
func TestLargestPages(t *testing.T) {
	s := start(t)
	owner, repo, _ := strings.Cut(s.target.Env["STOA_REPO"], "/")
	for _, f := range fills(owner, repo) {
		if *service != "" && f.Service != *service {
			continue
		}
		for n := range f.Count {
			o := s.target.Store(t.Context(), f, n)
			if o.Err != nil || o.Status >= http.StatusBadRequest {
				t.Errorf("%s %s: row %d: %d %.300s %v", f.Method, f.Path, n, o.Status, o.Refusal, o.Err)
				break
			}
		}
	}
	var attacks, once []adversary.Attack
	for _, o := range reading(t) {
		once = append(once, o.LargestPage())
	}
	// Caches, which have bounds of their own, are full afterwards.
	s.target.Drive(t.Context(), once, 1, func(o adversary.Outcome) {
		if *full || o.Bytes >= longAnswer {
			for range readers {
				attacks = append(attacks, o.Attack)
			}
		}
	})
	idle := s.memory(t)
	watch, stop := context.WithCancel(t.Context())
	defer stop()
	var highest atomic.Int64
	sampled := make(chan struct{})
	go func() { defer close(sampled); s.sample(watch, &highest) }()
	bystander, done := &adversary.Bystander{}, make(chan struct{})
	go func() { defer close(done); bystander.Watch(watch, 50*time.Millisecond, s.bystander) }()
	statuses, longest := map[int]int{}, map[string]int64{}
	s.target.Drive(t.Context(), attacks, readers, func(o adversary.Outcome) {
		statuses[o.Status]++
		name := o.Attack.Operation.String()
		if o.Whole {
			longest[name] = max(longest[name], o.Bytes)
		}
		failed := o.Status >= 500 && o.Status != http.StatusServiceUnavailable && o.Status != http.StatusNotImplemented
		if o.Err != nil || failed {
			t.Errorf("%s: answered %d after %s: %v", o.Attack, o.Status, o.Took, o.Err)
		}
	})
	stop()
	<-sampled
	<-done
	for name, bytes := range longest {
		if bytes > 1<<20 {
			t.Logf("%s: %d KiB", name, bytes>>10)
		}
		if bytes > maxAnswer {
			t.Errorf("%s: an answer of %d MiB, want at most %d", name, bytes>>20, maxAnswer>>20)
		}
	}
	t.Logf("%d requests, answers by status: %v; memory: %d MiB idle, %d MiB at most", len(attacks), statuses, idle>>20,
		highest.Load()>>20)
	// What the budget was taken for lives until it is sent, and as much may be garbage before it is collected.
	if peak, most := highest.Load(), idle+2*budgetTotal()+overhead; peak > most {
		t.Errorf("memory reached %d MiB, want at most %d MiB", peak>>20, most>>20)
	}
	if failed := bystander.Failed(); len(failed) > 0 {
		t.Errorf("%d questions of the bystander failed, the first: %s", len(failed), failed[0])
	}
	if err := s.process.Stop(context.Background()); err != nil {
		t.Errorf("the server did not survive: %v", err)
	}
}

// reading are the operations that lists are read by, with -full all that read.
func reading(t *testing.T) (chosen []adversary.Operation) {
	t.Helper()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	operations, err := adversary.Operations(app.Tables(), filepath.Join(root, "docs", "openapi"))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range operations {
		switch {
		case o.Method != "GET", *service != "" && o.Service != *service, strings.Contains(o.Pattern, "stream"):
		case *full, o.Lists():
			chosen = append(chosen, o)
		}
	}
	return chosen
}
