package conduct_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/lab/report"
	"stoa.dev/stoa/internal/platform/conduct"
	"stoa.dev/stoa/internal/platform/journal"
)

// hasty is a client that breaks a rule with a token in its address.
func hasty() client {
	return client{
		{operation: "me", line: "GET /api/v1.1/me?pipeline-token=abcdefghijkl", fault: "slow"},
		{operation: "me", line: "GET /api/v1.1/me", answer: "Content-Type: application/edn"},
		{operation: "me", line: "GET /api/v1.1/me", status: 429, times: 6},
	}
}

func document(t *testing.T, silences ...conduct.Silence) report.Document {
	t.Helper()
	j := record("pipelines", hasty())
	d := report.Document{
		World: "first", Journal: j, Rules: app.ConductRules(), Report: conduct.Run(app.ConductRules(), j.OldestFirst()),
	}
	if err := d.Report.Silence(d.Rules, silences); err != nil {
		t.Fatal(err)
	}
	return d
}

func written(t *testing.T, d report.Document, f report.Format) string {
	t.Helper()
	var out bytes.Buffer
	if err := d.Write(&out, f); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestForms: every form names the rules, hides the token, and is the same each time.
func TestForms(t *testing.T) {
	t.Parallel()
	for _, f := range report.Formats() {
		t.Run(string(f), func(t *testing.T) {
			t.Parallel()
			text := written(t, document(t), f)
			for _, want := range []string{"pipelines.token-in-address", "pipelines.back-off", "G-46", "pipelines.accept"} {
				if !strings.Contains(text, want) {
					t.Errorf("%s is not in it", want)
				}
			}
			if strings.Contains(text, "abcdefghijkl") {
				t.Error("the token is in it")
			}
			if again := written(t, document(t), f); again != text {
				t.Error("the same client has another report")
			}
		})
	}
}

// TestForPrograms reads the forms that programs read.
func TestForPrograms(t *testing.T) {
	t.Parallel()
	d := document(t, conduct.Silence{Rule: "pipelines.back-off", Reason: "a load test"},
		conduct.Silence{Rule: "pipelines.limit", Reason: "not needed"})
	var verdict report.Verdict
	if err := json.Unmarshal([]byte(written(t, d, report.JSON)), &verdict); err != nil {
		t.Fatal(err)
	}
	if verdict.Clean || len(verdict.Findings) != 2 || len(verdict.Silenced) != 2 ||
		verdict.Silenced[0].Count != 2 || verdict.Silenced[1].Count != 0 {
		t.Errorf("verdict %+v", verdict)
	}
	var sarif struct {
		Version string
		Runs    []struct {
			Results []struct {
				RuleID, Level string
				RuleIndex     int
				Suppressions  []any
			}
		}
	}
	if err := json.Unmarshal([]byte(written(t, d, report.SARIF)), &sarif); err != nil {
		t.Fatal(err)
	}
	results := sarif.Runs[0].Results
	if sarif.Version != "2.1.0" || len(results) != 3 || len(results[2].Suppressions) != 1 || results[1].Level != "note" ||
		d.Rules[results[0].RuleIndex].ID != results[0].RuleID {
		t.Errorf("sarif %+v", sarif)
	}
	var junit struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
	}
	if err := xml.Unmarshal([]byte(written(t, d, report.JUnit)), &junit); err != nil {
		t.Fatal(err)
	}
	if junit.Tests != len(d.Rules) || junit.Failures != 1 {
		t.Errorf("junit %+v", junit)
	}
	if text := written(t, d, report.Text); !strings.Contains(text, "broken 2 times (a load test)") ||
		!strings.Contains(text, "the silence can go") {
		t.Errorf("text %s", text)
	}
	if page := written(t, d, report.HTML); strings.Contains(page, "http://") || strings.Contains(page, "https://") {
		t.Error("the page is not self-contained")
	}
}

// TestSilenceNeedsAReason refuses silences that say nothing.
func TestSilenceNeedsAReason(t *testing.T) {
	t.Parallel()
	for _, s := range []conduct.Silence{{Rule: "no.rule", Reason: "r"}, {Rule: "retry-after", Reason: " "}} {
		if err := (&conduct.Report{}).Silence(app.ConductRules(), []conduct.Silence{s}); err == nil {
			t.Errorf("%+v is taken", s)
		}
	}
}

// TestLongJournal: a full journal is judged in two seconds. The bound allows for a
// busy machine and the race detector.
func TestLongJournal(t *testing.T) {
	t.Parallel()
	const requests = 100_000
	j := journal.New(journal.Options{MaxBytes: 1 << 30})
	j.SetMode(journal.Full)
	at := start()
	for i := range requests {
		at = at.Add(time.Second)
		exchange{
			operation: "tasks.list", line: fmt.Sprintf("GET /tasks/v1/lists/%d/tasks?maxResults=10", i%5000),
			header: "Authorization: Bearer t", answer: fmt.Sprintf("ETag: \"%d\"", i), says: `{"items":[{"title":"milk"}]}`,
		}.keep(j.Begin(t.Context()), []string{"tasks", "calendar", "events", "generate"}[i%4], at)
	}
	begin := time.Now()
	report := conduct.Run(app.ConductRules(), j.OldestFirst())
	if took := time.Since(begin); took > 30*time.Second || report.Requests != requests {
		t.Errorf("%d requests took %s", report.Requests, took)
	}
}
