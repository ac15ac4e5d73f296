package timespan_test

import (
	"slices"
	"testing"
	"time"

	"stoa.dev/stoa/internal/service/calendar/timespan"
)

func at(hour int) time.Time { return time.Date(2026, 3, 1, hour, 0, 0, 0, time.UTC) }

func TestMerge(t *testing.T) {
	t.Parallel()
	got := timespan.Merge([]timespan.Span{
		{From: at(9), To: at(10)}, {From: at(1), To: at(4)}, {From: at(2), To: at(3)}, {From: at(4), To: at(5)},
	})
	want := []timespan.Span{{From: at(1), To: at(5)}, {From: at(9), To: at(10)}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestEarlierAndLater(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]time.Time{{at(1), at(2)}, {at(2), at(1)}} {
		if got := timespan.Earlier(pair[0], pair[1]); got != at(1) {
			t.Errorf("the earlier of %v is %v", pair, got)
		}
		if got := timespan.Later(pair[0], pair[1]); got != at(2) {
			t.Errorf("the later of %v is %v", pair, got)
		}
	}
}
