package journal_test

import (
	"context"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/journal"
)

// TestTextsStay keeps texts of all sizes, which share memory, and reads them again
// after others were kept behind them.
func TestTextsStay(t *testing.T) {
	t.Parallel()
	j := full(journal.Options{})
	var kept []*journal.Record
	var want []string
	for i := range 400 {
		body := strings.Repeat(string(rune('a'+i%26)), i*i%40_000)
		d := j.Begin(context.Background())
		d.AddResponse([]byte(body))
		kept = append(kept, d.Finish(&journal.Entry{At: day(1), Path: "/things"}))
		want = append(want, body)
	}
	for i, r := range kept {
		if got := j.Get(r.Number()); got != r || got.ResponseBody() != want[i] || got.Path() != "/things" {
			t.Fatalf("record %d changed: %d bytes for %d", i, len(got.ResponseBody()), len(want[i]))
		}
	}
}

// TestTurnedOffMeanwhile gives the record only to who asked for it.
func TestTurnedOffMeanwhile(t *testing.T) {
	t.Parallel()
	j := full(journal.Options{})
	d := j.Begin(context.Background())
	d.AddResponse([]byte("answer"))
	j.SetMode(journal.Off)
	if r := d.Finish(&journal.Entry{At: day(1)}); r.ResponseBody() != "answer" || j.Count() != 0 {
		t.Errorf("%q, %d kept", r.ResponseBody(), j.Count())
	}
}
