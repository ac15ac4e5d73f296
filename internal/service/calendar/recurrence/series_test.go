package recurrence_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/service/calendar/recurrence"
)

func berlin(t testing.TB) *time.Location {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// between expands without a bound of steps.
func between(t rapid.TB, s *recurrence.Series, from, to time.Time, limit int) []time.Time {
	found, err := s.Between(nil, from, to, limit)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func has(s *recurrence.Series, at time.Time) bool {
	found, err := s.Has(nil, at)
	return found && err == nil
}

func expand(t *testing.T, start recurrence.Start, limit int, lines ...string) []string {
	t.Helper()
	s, err := recurrence.Parse(lines, start)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, at := range between(t, s, start.At.AddDate(-1, 0, 0), start.At.AddDate(20, 0, 0), limit) {
		out = append(out, at.Format("2006-01-02T15:04Z07:00"))
	}
	return out
}

// expansion is a series and the instances it must have.
type expansion struct {
	name  string
	start recurrence.Start
	lines []string
	want  []string
}

func timed(zone *time.Location, y int, m time.Month, d, h, min int) recurrence.Start {
	return recurrence.Start{At: time.Date(y, m, d, h, min, 0, 0, zone), Zone: zone}
}

func wholeDays() recurrence.Start {
	return recurrence.Start{At: time.Date(2026, 1, 30, 0, 0, 0, 0, time.UTC), AllDay: true}
}

func TestBetween(t *testing.T) {
	t.Parallel()
	zone := berlin(t)
	for _, row := range []expansion{
		{
			"daily keeps the wall time over the clock change", timed(zone, 2026, 3, 28, 9, 0),
			[]string{"RRULE:FREQ=DAILY;COUNT=3"},
			[]string{"2026-03-28T09:00+01:00", "2026-03-29T09:00+02:00", "2026-03-30T09:00+02:00"},
		},
		{
			"a skipped wall time is read with the offset before", timed(zone, 2026, 3, 28, 2, 30),
			[]string{"RRULE:FREQ=DAILY;COUNT=2"},
			[]string{"2026-03-28T02:30+01:00", "2026-03-29T03:30+02:00"},
		},
		{
			"a wall time that happens twice is its first", timed(zone, 2026, 10, 24, 2, 30),
			[]string{"RRULE:FREQ=DAILY;COUNT=2"},
			[]string{"2026-10-24T02:30+02:00", "2026-10-25T02:30+02:00"},
		},
		{
			"hourly does not repeat an hour", timed(zone, 2026, 3, 29, 1, 30),
			[]string{"RRULE:FREQ=HOURLY;COUNT=4"},
			[]string{"2026-03-29T01:30+01:00", "2026-03-29T03:30+02:00", "2026-03-29T04:30+02:00"},
		},
		{
			"until is in UTC and inclusive", timed(zone, 2026, 1, 5, 9, 0),
			[]string{"RRULE:FREQ=WEEKLY;UNTIL=20260119T080000Z"},
			[]string{"2026-01-05T09:00+01:00", "2026-01-12T09:00+01:00", "2026-01-19T09:00+01:00"},
		},
		{
			"exdates in other zones", timed(zone, 2026, 1, 5, 9, 0),
			[]string{
				"RRULE:FREQ=DAILY;COUNT=5", "EXDATE:20260106T080000Z", "EXDATE;TZID=America/New_York:20260107T030000",
				"EXDATE;VALUE=DATE:20260108",
			},
			[]string{"2026-01-05T09:00+01:00", "2026-01-09T09:00+01:00"},
		},
		{
			"rdates and exrules", timed(zone, 2026, 1, 5, 9, 0),
			[]string{
				"RRULE:FREQ=DAILY;COUNT=5", "EXRULE:FREQ=DAILY;INTERVAL=2", "RDATE;TZID=Europe/Berlin:20260201T100000",
			},
			[]string{"2026-01-06T09:00+01:00", "2026-01-08T09:00+01:00", "2026-02-01T10:00+01:00"},
		},
		{
			"whole days", wholeDays(),
			[]string{"RRULE:FREQ=MONTHLY;COUNT=3;BYMONTHDAY=30", "EXDATE;VALUE=DATE:20260330"},
			[]string{"2026-01-30T00:00Z", "2026-04-30T00:00Z"},
		},
	} {
		t.Run(row.name, row.test)
	}
}

// TestClockChanges: instants that are named stay what they are.
func TestClockChanges(t *testing.T) {
	t.Parallel()
	zone := berlin(t)
	for _, row := range []expansion{
		{
			"a start that is the second of two stays it",
			recurrence.Start{At: time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC), Zone: zone},
			[]string{"RRULE:FREQ=DAILY;COUNT=2"},
			[]string{"2026-10-25T02:30+01:00", "2026-10-26T02:30+01:00"},
		},
		{
			"rdates in UTC stay where they are", timed(zone, 2026, 10, 24, 9, 0),
			[]string{"RDATE:20261025T003000Z,20261025T013000Z"},
			[]string{"2026-10-24T09:00+02:00", "2026-10-25T02:30+02:00", "2026-10-25T02:30+01:00"},
		},
		{
			"an exdate names the instant of a skipped wall time", timed(zone, 2026, 3, 28, 2, 30),
			[]string{"RRULE:FREQ=DAILY;COUNT=3", "EXDATE:20260329T013000Z"},
			[]string{"2026-03-28T02:30+01:00", "2026-03-30T02:30+02:00"},
		},
		{
			"an exdate of the second of two leaves the first", timed(zone, 2026, 10, 24, 2, 30),
			[]string{"RRULE:FREQ=DAILY;COUNT=2", "EXDATE:20261025T013000Z"},
			[]string{"2026-10-24T02:30+02:00", "2026-10-25T02:30+02:00"},
		},
		{
			"whole days named by a time", wholeDays(),
			[]string{
				"RRULE:FREQ=DAILY;COUNT=3", "EXDATE:20260131T000000Z", "RDATE;TZID=America/New_York:20260301T220000",
			},
			[]string{"2026-01-30T00:00Z", "2026-02-01T00:00Z", "2026-03-01T00:00Z"},
		},
	} {
		t.Run(row.name, row.test)
	}
}

func (row expansion) test(t *testing.T) {
	t.Parallel()
	got := expand(t, row.start, 100, row.lines...)
	if len(got) != len(row.want) {
		t.Fatalf("got %v, want %v", got, row.want)
	}
	for i := range got {
		if got[i] != row.want[i] {
			t.Errorf("%d: got %s, want %s", i, got[i], row.want[i])
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	start := recurrence.Start{At: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC), Zone: time.UTC}
	for _, line := range []string{
		"", "RRULE", "RRULE:", "RRULE:FREQ=NEVER", "RRULE:FREQ=SECONDLY", "RRULE:FREQ=MINUTELY",
		"DTSTART:20260101T000000Z",
		"DTEND:20260101T000000Z", "RRULE:FREQ=DAILY;COUNT=2;UNTIL=20270101T000000Z", "RRULE:FREQ=DAILY;COUNT=99999",
		"RRULE:FREQ=DAILY;BYHOUR=77", "EXDATE:20260101T000000Z",
		"RRULE:FREQ=DAILY;COUNT=0", "RRULE:FREQ=DAILY;COUNT=-3", "RRULE:FREQ=DAILY;INTERVAL=0",
		"RDATE;TZID=Nowhere/Here:20260101T000000", "RDATE:x",
	} {
		if _, err := recurrence.Parse([]string{line}, start); !errors.Is(err, recurrence.ErrRule) {
			t.Errorf("%q: got %v, want ErrRule", line, err)
		}
	}
}

// TestParameterNames: names of parameters know no case (RFC 5545, section 2).
func TestParameterNames(t *testing.T) {
	t.Parallel()
	start := recurrence.Start{At: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC), Zone: time.UTC}
	s, err := recurrence.Parse([]string{"RDATE;tzid=Asia/Kolkata:20260106T090000"}, start)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 6, 3, 30, 0, 0, time.UTC)
	if has, err := s.Has(budget.NewSteps(t.Context(), 100), at); err != nil || !has {
		t.Errorf("an instance at %v: %v %v", at, has, err)
	}
}

// TestRulesThatTakeForEver are refused at once: the library would search for ages, or endlessly.
func TestRulesThatTakeForEver(t *testing.T) {
	t.Parallel()
	minutes := "0"
	for i := 1; i < 60; i++ {
		minutes += fmt.Sprint(",", i)
	}
	start := recurrence.Start{At: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC), Zone: time.UTC}
	for _, rule := range []string{
		"FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
		"FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30",
		"FREQ=HOURLY;INTERVAL=24;BYHOUR=10", "FREQ=HOURLY;INTERVAL=2;BYHOUR=8", "FREQ=DAILY;INTERVAL=7;BYDAY=TU",
		"FREQ=DAILY;BYSETPOS=2", "FREQ=HOURLY;BYSETPOS=-2", "FREQ=WEEKLY;BYSETPOS=50",
		"FREQ=YEARLY;INTERVAL=9223372036854775807", "FREQ=DAILY;INTERVAL=10001",
		"FREQ=DAILY;BYMINUTE=" + minutes, "FREQ=HOURLY;BYMINUTE=0,30",
		"FREQ=YEARLY;BYHOUR=1,2,3,4,5;BYMINUTE=1,2,3,4,5",
	} {
		if _, err := recurrence.Parse([]string{"RRULE:" + rule}, start); !errors.Is(err, recurrence.ErrRule) {
			t.Errorf("%s: got %v, want ErrRule", rule, err)
		}
	}
	many := make([]string, 6)
	for i := range many {
		many[i] = "RRULE:FREQ=DAILY"
	}
	if _, err := recurrence.Parse(many, start); !errors.Is(err, recurrence.ErrRule) {
		t.Errorf("6 rules: got %v, want ErrRule", err)
	}
	if _, err := recurrence.Parse(
		[]string{"RRULE:FREQ=DAILY", "EXRULE:FREQ=WEEKLY", "EXRULE:FREQ=MONTHLY"}, start,
	); !errors.Is(err, recurrence.ErrRule) {
		t.Errorf("2 EXRULE: got %v, want ErrRule", err)
	}
	for _, rule := range []string{
		"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO", "FREQ=HOURLY;INTERVAL=24;BYHOUR=9",
		"FREQ=DAILY;BYHOUR=9,17;BYSETPOS=-1",
		"FREQ=MONTHLY;BYDAY=2TU", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=SU",
		"FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
	} {
		if _, err := recurrence.Parse([]string{"RRULE:" + rule}, start); err != nil {
			t.Errorf("%s: %v", rule, err)
		}
	}
}

// TestPlaceKeepsWallTimes: whatever wall time exists in a zone is shown by the instant it is placed at.
func TestPlaceKeepsWallTimes(t *testing.T) {
	t.Parallel()
	zones := []string{
		"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "UTC",
	}
	rapid.Check(t, func(t *rapid.T) {
		zone, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		at := time.Unix(rapid.Int64Range(1_300_000_000, 2_000_000_000).Draw(t, "at"), 0)
		wall := recurrence.Wall(at, zone)
		placed := recurrence.Place(wall, zone)
		if !recurrence.Wall(placed, zone).Equal(wall) {
			t.Fatalf("wall %v placed at %v shows %v", wall, placed, recurrence.Wall(placed, zone))
		}
		if placed.After(at) {
			t.Fatalf("placed at %v, want the first of the two instants, at most %v", placed, at)
		}
	})
}

// TestOrderAndAgreement: instances ascend, windows join without gap or overlap, and Has agrees.
func TestOrderAndAgreement(t *testing.T) {
	t.Parallel()
	zone := berlin(t)
	rapid.Check(t, func(t *rapid.T) {
		start := recurrence.Start{
			At: time.Unix(rapid.Int64Range(1_767_000_000, 1_800_000_000).Draw(t, "start"), 0), Zone: zone,
		}
		freq := rapid.SampledFrom([]string{
			"HOURLY;INTERVAL=5", "DAILY", "WEEKLY;BYDAY=MO,WE", "MONTHLY", "YEARLY",
		}).Draw(t, "freq")
		s, err := recurrence.Parse([]string{"RRULE:FREQ=" + freq}, start)
		if err != nil {
			t.Fatal(err)
		}
		end, cut := start.At.AddDate(0, 2, 0), start.At.AddDate(0, 0, rapid.IntRange(0, 60).Draw(t, "cut"))
		all := between(t, s, start.At, end, 5000)
		parts := append(between(t, s, start.At, cut, 5000), between(t, s, cut, end, 5000)...)
		if cut.Before(end) && len(all) != len(parts) {
			t.Fatalf("%d instances in one piece, %d in two", len(all), len(parts))
		}
		for i, at := range all {
			if i > 0 && !all[i-1].Before(at) {
				t.Fatalf("%v does not precede %v", all[i-1], at)
			}
		}
		if at := all[len(all)/2]; !has(s, at) || has(s, at.Add(time.Second)) {
			t.Fatalf("Has disagrees at %v", at)
		}
	})
}

func FuzzParse(f *testing.F) {
	fuzztest.Strings(f,
		"RRULE:FREQ=DAILY;COUNT=3",
		"EXDATE;TZID=Europe/Berlin:20260101T000000,20260102",
		"RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,"+
			"19,20,21,22,23",
		"EXRULE:FREQ=HOURLY",
		"RRULE:FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO",
		"RRULE:FREQ=HOURLY;INTERVAL=7;BYHOUR=3;BYYEARDAY=-366",
		"RRULE:FREQ=YEARLY;BYWEEKNO=53;BYDAY=-1MO;BYSETPOS=-1",
	)
	f.Fuzz(func(t *testing.T, line string) {
		start := recurrence.Start{At: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC), Zone: time.UTC}
		s, err := recurrence.Parse([]string{line}, start)
		if err != nil {
			return
		}
		steps := budget.NewSteps(t.Context(), 200_000)
		got, err := s.Between(steps, start.At, start.At.AddDate(1, 0, 0), 10)
		var over *budget.StepsError
		if len(got) > 10 || err != nil && !errors.As(err, &over) {
			t.Errorf("%d instances and %v, want at most 10", len(got), err)
		}
		later, err := s.Between(steps, start.At.AddDate(60, 0, 0), start.At.AddDate(61, 0, 0), 10)
		if len(later) > 10 || err != nil && !errors.As(err, &over) {
			t.Errorf("%d later instances and %v, want at most 10", len(later), err)
		}
	})
}
