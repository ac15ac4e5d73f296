package purge

import (
	"slices"
	"testing"
	"time"
)

// TestBatches: rows of one calendar are one batch, whatever lies between them, with the last of their numbers.
func TestBatches(t *testing.T) {
	t.Parallel()
	before := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	got := batches([]row{{"b", "1", 7}, {"a", "2", 5}, {"b", "3", 9}, {"a", "4", 2}}, before)
	if len(got) != 2 || got[0].Calendar != "a" || got[1].Calendar != "b" {
		t.Fatalf("got %+v", got)
	}
	if !slices.Equal(got[0].ids, []string{"2", "4"}) || got[0].Newest != 5 || !got[0].before.Equal(before) {
		t.Errorf("a: got %+v", got[0])
	}
	if !slices.Equal(got[1].ids, []string{"1", "3"}) || got[1].Newest != 9 {
		t.Errorf("b: got %+v", got[1])
	}
	if none := batches(nil, before); len(none) != 0 {
		t.Errorf("of nothing: %+v", none)
	}
}
