package calendar

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// TestEnvelope gives every failure its fixed answer.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	own := []routetest.Case{{Name: "own steps", Err: &budget.StepsError{Limit: 7}}}
	for _, code := range codes(t) {
		own = append(own, routetest.Case{Name: "own " + string(code), Err: refusal.New(code, "field", "Why.")})
	}
	routetest.Envelope(t, writeError, own...)
}

// codes are the words of all refusals, as their source has them, and no word twice.
func codes(t *testing.T) (all []refusal.Code) {
	t.Helper()
	source, err := os.ReadFile("refusal/errors.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`(?m)^\tCode\w+ +Code += "(.+)"$`).FindAllSubmatch(source, -1) {
		code := refusal.Code(found[1])
		if slices.Contains(all, code) {
			t.Errorf("the code %q is there twice", code)
		}
		all = append(all, code)
	}
	if len(all) < 24 {
		t.Fatalf("found %d codes, want at least 24", len(all))
	}
	return all
}
