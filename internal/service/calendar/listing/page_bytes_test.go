package listing_test

import (
	"testing"

	"stoa.dev/stoa/internal/service/calendar/listing"
)

// TestPageBytes: a page ends before what does not fit, but has one event at least.
func TestPageBytes(t *testing.T) {
	t.Parallel()
	var page listing.PageBytes
	for i, row := range []struct {
		size int64
		full bool
	}{{100 << 20, false}, {1, true}, {0, true}} {
		if got := page.Full(row.size); got != row.full {
			t.Errorf("event %d: full %t, want %t", i, got, row.full)
		}
	}
	if err := page.Hold(t.Context()); err != nil {
		t.Errorf("without a request: %v", err)
	}
}
