package recurrence

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/teambition/rrule-go"
	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/platform/budget"
)

// drawRule makes a rule out of what RFC 5545 has.
func drawRule(t *rapid.T) string {
	parts := []string{
		"FREQ=" + rapid.SampledFrom([]string{"HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"}).Draw(t, "freq"),
	}
	add := func(name string, values ...string) {
		if rapid.IntRange(0, 3).Draw(t, "with "+name) == 0 {
			parts = append(parts, name+"="+rapid.SampledFrom(values).Draw(t, name))
		}
	}
	parts = append(parts, "INTERVAL="+strconv.Itoa(rapid.SampledFrom([]int{1, 1, 2, 3, 5, 7, 24}).Draw(t, "interval")))
	add("BYMONTH", "1", "2", "3,6,9,12", "12")
	add("BYMONTHDAY", "1", "29", "31", "-1", "13,14")
	add("BYDAY", "MO", "SU,MO", "TU,TH", "SA")
	add("BYHOUR", "0", "9,17", "23")
	add("BYSETPOS", "1", "-1")
	add("BYWEEKNO", "1", "20", "53", "-1")
	add("BYYEARDAY", "1", "100", "366", "-1")
	add("WKST", "SU", "MO", "WE")
	return strings.Join(parts, ";")
}

// What a walk finds that begins near the window is what one from the start finds.
func TestAdvanceIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		start := time.Unix(rapid.Int64Range(-2_000_000_000, 1_800_000_000).Draw(t, "start"), 0).UTC()
		s := &Series{start: Start{At: start, Zone: time.UTC}, wall: start}
		option, err := s.rule(drawRule(t), true)
		if err != nil {
			t.Skip(err)
		}
		low := start.AddDate(rapid.IntRange(0, testYears).Draw(t, "years"), rapid.IntRange(0, 11).Draw(t, "months"),
			rapid.IntRange(0, 31).Draw(t, "days"))
		high := low.AddDate(0, windowMonths, 10)
		got, want := plain(t, advance(option, low), low, high), plain(t, option, low, high)
		if !slices.EqualFunc(got, want, time.Time.Equal) {
			t.Fatalf("from %v: %v to %v: got %d instances %v, want %d %v", start, low, high, len(got), first(got),
				len(want), first(want))
		}
	})
}

func first(all []time.Time) []time.Time { return all[:min(len(all), 5)] }

// plain walks as the library does.
func plain(t *rapid.T, o rrule.ROption, low, high time.Time) (found []time.Time) {
	rule, err := rrule.NewRRule(o)
	if err != nil {
		t.Fatal(err)
	}
	next := rule.Iterator()
	for {
		wall, ok := next()
		if !ok || !wall.Before(high) {
			return found
		}
		if !wall.Before(low) {
			found = append(found, wall)
		}
	}
}

// A window long after the start costs what the window holds.
func TestStepsOfAWindow(t *testing.T) {
	t.Parallel()
	start := Start{At: time.Date(1950, 1, 2, 9, 0, 0, 0, time.UTC), Zone: time.UTC}
	from := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		rule string
		most int64
	}{
		{"FREQ=DAILY", 80}, {"FREQ=WEEKLY;BYDAY=MO,TU", 40}, {"FREQ=MONTHLY", 40}, {"FREQ=YEARLY", 160},
		{"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO", 1200},
	} {
		s, err := Parse([]string{"RRULE:" + row.rule}, start)
		if err != nil {
			t.Fatal(err)
		}
		steps := budget.NewSteps(t.Context(), 1<<20)
		if _, err := s.Between(steps, from, from.AddDate(0, 1, 0), 250); err != nil {
			t.Fatal(err)
		}
		if got := 1<<20 - steps.Left(); got > row.most {
			t.Errorf("%s takes %d steps, want at most %d", row.rule, got, row.most)
		}
	}
}
