package stoatest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/kit/go/stoatest"
)

const lists = "/tasks/v1/users/@me/lists"

// ask asks a world as its user and returns the status.
func ask(t *testing.T, w *stoatest.TestWorld, method, path, body string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, w.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+w.Env["STOA_TOKEN"])
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode
}

func TestClock(t *testing.T) {
	t.Parallel()
	world := stoatest.World(t, stoatest.At("2026-03-01T09:00:00Z"), stoatest.Seed(7))
	moved := world.Clock.Advance(36 * time.Hour)
	want := time.Date(2026, 3, 2, 21, 0, 0, 0, time.UTC)
	if !moved.To.Equal(want) || !world.Clock.Now().Equal(want) {
		t.Errorf("moved to %s, now %s, want %s", moved.To, world.Clock.Now(), want)
	}
	if world.Seed != 7 {
		t.Errorf("seed %d", world.Seed)
	}
	world.Clock.AdvanceTo("2026-03-09T00:00:00Z")
	world.Clock.Run(3600)
	if world.Clock.Now().Before(want.AddDate(0, 0, 6)) {
		t.Error("the clock went back")
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	world := stoatest.World(t)
	rule := world.Faults.Add(stoatest.Fault{Operation: "tasklists.list", Status: 503, First: 1})
	for _, want := range []int{503, 200} {
		if got := ask(t, world, "GET", lists, ""); got != want {
			t.Errorf("status %d, want %d", got, want)
		}
	}
	if rules := world.Faults.List(); len(rules) != 1 || rules[0].Hits != 1 || rules[0].ID != rule.ID {
		t.Errorf("rules %+v", rules)
	}
	world.Faults.Remove(rule)
	world.Faults.Add(stoatest.Fault{Operation: "tasklists.insert", Deed: "list_quota_exceeded"})
	if got := ask(t, world, "POST", lists, `{"title":"milk"}`); got != 403 {
		t.Errorf("status %d, want that of the fault", got)
	}
	world.Faults.Clear()
	if got := ask(t, world, "POST", lists, `{"title":"milk"}`); got != 200 {
		t.Errorf("status %d after the faults were cleared", got)
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	world := stoatest.World(t)
	ask(t, world, "POST", lists, `{"title":"milk"}`)
	ask(t, world, "GET", lists, "")
	world.Expect(stoatest.Selection{Operation: "tasklists.insert", Body: map[string]any{"/title": "milk"}}.Exactly(1))
	world.Expect(stoatest.Selection{Service: "tasks"}.AtLeast(2).AtMost(2))
	if got := world.Requests.List(stoatest.Selection{Method: "GET", Status: 200}); len(got) != 1 || got[0].Path != lists {
		t.Errorf("requests %+v", got)
	}
	if missed := failure(world, func(w *stoatest.TestWorld) {
		w.Expect(stoatest.Selection{Operation: "tasklists.insert", Body: map[string]any{"/title": "bread"}}.Exactly(1))
	}); !strings.Contains(missed, `"milk"`) {
		t.Errorf("the nearest miss is not told: %q", missed)
	}
	world.Requests.Clear()
	world.Expect(stoatest.Selection{}.Exactly(0))
}

func TestForkAndReset(t *testing.T) {
	t.Parallel()
	world := stoatest.World(t, stoatest.From("empty"), stoatest.Config(map[string]any{"offline": true}))
	fork := world.Fork()
	if fork.Name == world.Name || fork.URL == world.URL {
		t.Errorf("a fork is its original: %s", fork.URL)
	}
	world.Reset()
}

func TestInbox(t *testing.T) {
	t.Parallel()
	world := stoatest.World(t)
	inbox := world.Inbox("hooks", stoatest.Answer{Status: 503, Times: 1})
	for _, want := range []int{503, 200} {
		response, err := http.Post(inbox.URL, "text/plain", strings.NewReader("changed"))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("status %d, want %d", response.StatusCode, want)
		}
	}
	if got := inbox.Wait(2, time.Second); string(got[0].Body) != `"changed"` || got[0].Answered != 503 {
		t.Errorf("messages %+v", got)
	}
}
