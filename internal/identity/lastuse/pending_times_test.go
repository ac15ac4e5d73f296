package lastuse_test

import (
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity/lastuse"
)

func TestTimes(t *testing.T) {
	t.Parallel()
	var times lastuse.Times[int64]
	first := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	if got := times.Latest(1, first); !got.Equal(first) {
		t.Errorf("nothing noted: %v", got)
	}
	times.Note(1, first.Add(time.Hour))
	times.Note(1, first) // older than what is known
	if got, want := times.Latest(1, first), first.Add(time.Hour).Truncate(time.Second); !got.Equal(want) {
		t.Errorf("noted: %v, want %v", got, want)
	}
	written := times.Pending()
	times.Note(1, first.Add(2*time.Hour)) // while it is written
	times.Drop(written)
	if list := times.Pending(); len(list) != 1 || !list[0].At.Equal(first.Add(2*time.Hour)) {
		t.Errorf("a use during the write was dropped: %v", list)
	}
	times.Drop(times.Pending())
	if list := times.Pending(); len(list) != 0 {
		t.Errorf("written and kept: %v", list)
	}
}
