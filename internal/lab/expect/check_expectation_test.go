package expect_test

import (
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/lab/expect"
	"stoa.dev/stoa/internal/platform/journal"
)

func number(n int) *int { return &n }

func TestCheck(t *testing.T) {
	t.Parallel()
	j := journal.New(journal.Options{})
	j.SetMode(journal.Full)
	// The second came before the first, and ended after it.
	for _, second := range []int{10, 3} {
		j.Begin(t.Context()).Finish(&journal.Entry{
			At: time.Date(2026, time.March, 1, 9, 0, second, 0, time.UTC), Operation: "a.get", Method: "GET", Path: "/a",
			Status: 200,
		})
	}
	calls := journal.Filter{Operation: "a.get"}
	for name, row := range map[string]struct {
		e     expect.Expectation
		pass  bool
		words string
	}{
		"one":       {expect.Expectation{Calls: calls}, true, "expected at least 1 call of a.get, found 2"},
		"exactly":   {expect.Expectation{Calls: calls, Exactly: number(3)}, false, "a.get, found 2; there are no other"},
		"most":      {expect.Expectation{Calls: calls, AtMost: number(1)}, false, "the first too many is request 1, GET /a"},
		"between":   {expect.Expectation{Calls: calls, AtLeast: number(1), AtMost: number(2)}, true, "1 and at most 2"},
		"apart":     {expect.Expectation{Calls: calls, NoCloserThan: 7 * time.Second}, true, ""},
		"too close": {expect.Expectation{Calls: calls, NoCloserThan: 8 * time.Second}, false, "/a came 7s after request 2"},
		"never": {
			expect.Expectation{Calls: journal.Filter{Operation: "b"}, NoCloserThan: time.Second}, false,
			"expected at least 1 call of b, found 0",
		},
		"none": {expect.Expectation{Calls: journal.Filter{Operation: "b"}, Exactly: number(0)}, true, ""},
		"missing": {
			expect.Expectation{Calls: journal.Filter{Operation: "b", Method: "GET"}}, false,
			"found 0; the nearest is request 2, GET /a: its operation is a.get, not b",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := expect.Check(j, row.e)
			none := v.Pass || name == "exactly"
			if v.Pass != row.pass || !strings.Contains(v.Message, row.words) || (v.Nearest == nil) != none {
				t.Errorf("%+v, want %v with %q", v, row.pass, row.words)
			}
		})
	}
	v := expect.Check(journal.New(journal.Options{}), expect.Expectation{})
	if v.Pass || !strings.Contains(v.Message, "no requests") {
		t.Errorf("%+v", v)
	}
}
