package stoatest

import (
	"fmt"
	"strings"
	"testing"
)

// Report says what a client did that a good one does not.
type Report struct {
	Clean    bool
	Findings []Finding
}

// Finding is a rule that was broken.
type Finding struct {
	Rule, Severity, Service string
	Count                   int
	Message, Contract       string
	Requests                []string
}

func (f Finding) String() string {
	return fmt.Sprintf("%s (%s, %s, %d times): %s; requests %v", f.Rule, f.Severity, f.Service, f.Count, f.Message,
		f.Requests)
}

// Conduct judges the requests so far.
func (w *TestWorld) Conduct() *Report {
	w.t.Helper()
	r := &Report{}
	w.call("GET", "/conduct", nil, r)
	return r
}

// MustBeClean fails the test where a rule of severity error or warning was broken.
func (r *Report) MustBeClean(t testing.TB) {
	t.Helper()
	if r.Clean {
		return
	}
	lines := make([]string, 0, len(r.Findings))
	for _, f := range r.Findings {
		lines = append(lines, "  "+f.String())
	}
	t.Errorf("the client's conduct:\n%s", strings.Join(lines, "\n"))
}
