package conducttest

import (
	"context"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/conduct"
	"stoa.dev/stoa/internal/platform/journal"
)

// Stated checks that rules say all that a report needs, bear the service's name, and
// find nothing in a plain request that was answered.
func Stated(t testing.TB, service string, rules []conduct.Rule) {
	t.Helper()
	j := journal.New(journal.Options{})
	j.SetMode(journal.Full)
	j.Begin(context.Background()).Finish(&journal.Entry{
		At: time.Unix(0, 0), Service: service, Operation: "plain", Method: "GET", Path: "/", Target: "/", Status: 200,
		RequestHeader: map[string][]string{"User-Agent": {"test"}},
	})
	seen := map[string]bool{}
	for _, rule := range rules {
		if !strings.HasPrefix(rule.ID, service+".") || seen[rule.ID] {
			t.Errorf("%s is not a rule of %s, or is stated twice", rule.ID, service)
		}
		seen[rule.ID] = true
		if rule.Title == "" || rule.Why == "" || rule.Contract == "" || rule.Example == "" {
			t.Errorf("%s does not say everything", rule.ID)
		}
		report := conduct.Run([]conduct.Stated{{Rule: rule, Service: service}}, j.OldestFirst())
		if report.Requests != 1 || len(report.Findings) > 0 {
			t.Errorf("%s: %d requests, %d findings", rule.ID, report.Requests, len(report.Findings))
		}
	}
}
