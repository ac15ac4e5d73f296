package conduct_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/conduct"
	"stoa.dev/stoa/internal/platform/journal"
)

// TestMemoryIsBounded: a check forgets rather than grows.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	const most = 20_000
	var m conduct.Memory[string, int]
	for i := range 3 * most {
		m.Put(strconv.Itoa(i), i)
		if m.Len() > most {
			t.Fatalf("%d entries", m.Len())
		}
	}
	if v, ok := m.Get(strconv.Itoa(3*most - 1)); !ok || v != 3*most-1 {
		t.Error("the newest entry is forgotten")
	}
}

// TestRunOrders: the worst comes first, evidence is bounded and in order.
func TestRunOrders(t *testing.T) {
	t.Parallel()
	always := func(b *conduct.Breaches) conduct.Check {
		return conduct.Each(func(r *conduct.Request) { b.Add(r.Line(), r.Past()) })
	}
	rules := []conduct.Stated{
		{Service: "things", Rule: conduct.Rule{ID: "things.advice", Severity: conduct.Info, New: always}},
		{Service: "things", Rule: conduct.Rule{ID: "things.worst", Severity: conduct.Error, New: always}},
	}
	j := journal.New(journal.Options{})
	j.SetMode(journal.Full)
	const requests = 30
	for range requests {
		j.Begin(context.Background()).Finish(&journal.Entry{
			At: time.Unix(0, 0), Service: "things", Method: "GET", Path: "/", Target: "/", Status: 200,
		})
	}
	j.Begin(context.Background()).Finish(&journal.Entry{Service: "things", ByConsole: true})
	report := conduct.Run(rules, j.OldestFirst())
	if len(report.Findings) != 2 || report.Findings[0].Rule.ID != "things.worst" || report.Clean() {
		t.Fatalf("findings %+v", report.Findings)
	}
	f := report.Findings[0]
	if f.Count != requests || len(f.Requests) != 20 || f.Requests[0] != 1 || f.Message != "GET /" {
		t.Errorf("finding %+v", f)
	}
	if !report.Reaches(conduct.Error) || report.Requests != requests {
		t.Errorf("%d requests", report.Requests)
	}
}

// TestHeldBack: a client that comes at once after an answer that a fault held back has not waited.
func TestHeldBack(t *testing.T) {
	t.Parallel()
	waits := conduct.Waits("Retry-After asked", conduct.ByOperation, (*conduct.Request).RetryAfter)
	rules := []conduct.Stated{{Service: "things", Rule: conduct.Rule{ID: "things.wait", New: waits}}}
	for name, row := range map[string]struct {
		came     time.Duration
		findings int
	}{"at once": {5 * time.Second, 1}, "as asked": {7 * time.Second, 0}} {
		j := journal.New(journal.Options{})
		j.SetMode(journal.Full)
		first := j.Begin(context.Background())
		first.SetFault("delay", "f1")
		first.SetDelay(journal.Delay{World: 5 * time.Second})
		first.Finish(&journal.Entry{
			At: time.Unix(0, 0), Service: "things", Operation: "get", Method: "GET", Path: "/", Target: "/", Status: 429,
			ResponseHeader: map[string][]string{"Retry-After": {"2"}},
		})
		j.Begin(context.Background()).Finish(&journal.Entry{
			At: time.Unix(0, 0).Add(row.came), Service: "things", Operation: "get", Method: "GET", Path: "/", Target: "/",
			Status: 200,
		})
		if got := conduct.Run(rules, j.OldestFirst()).Findings; len(got) != row.findings {
			t.Errorf("%s: %d findings, want %d", name, len(got), row.findings)
		}
	}
}

// TestFirstPageIsForgotten: a client that chooses the length of pages may stop, also where the journal has lost the
// first one.
func TestFirstPageIsForgotten(t *testing.T) {
	t.Parallel()
	pages := conduct.Pages{Operations: []string{"list"}, Param: "token", Member: "/next", Size: "size"}
	rules := []conduct.Stated{{Service: "things", Rule: conduct.Rule{ID: "things.pages", New: pages.Left()}}}
	for query, findings := range map[string]int{"token=a": 1, "size=2": 0, "size=2&token=a": 0} {
		j := journal.New(journal.Options{})
		j.SetMode(journal.Full)
		draft := j.Begin(context.Background())
		draft.AddResponse([]byte(`{"next":"b"}`))
		draft.Finish(&journal.Entry{
			At: time.Unix(0, 0), Service: "things", Operation: "list", Method: "GET", Path: "/", Target: "/", Query: query,
			Status: 200,
		})
		if got := conduct.Run(rules, j.OldestFirst()).Findings; len(got) != findings {
			t.Errorf("%s: %d findings, want %d", query, len(got), findings)
		}
	}
}

func TestParseSeverity(t *testing.T) {
	t.Parallel()
	for _, want := range []conduct.Severity{conduct.Info, conduct.Warning, conduct.Error} {
		if got, err := conduct.ParseSeverity(want.String()); err != nil || got != want {
			t.Errorf("%s: %v %v", want, got, err)
		}
	}
	if _, err := conduct.ParseSeverity("fatal"); err == nil {
		t.Error("fatal is a severity")
	}
}
