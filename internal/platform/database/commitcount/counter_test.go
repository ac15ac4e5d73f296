package commitcount_test

import (
	"errors"
	"testing"

	"stoa.dev/stoa/internal/platform/database/commitcount"
)

// TestCount checks that the revision is unknown during a commit and another after
// it, also after one that failed: what it left behind is not known here.
func TestCount(t *testing.T) {
	t.Parallel()
	var c commitcount.Counter
	before, known := c.Revision()
	if !known {
		t.Fatal("unknown before the first commit")
	}
	refused := errors.New("refused")
	for _, end := range []error{nil, refused} {
		err := c.Count(func() error {
			if _, known := c.Revision(); known {
				t.Error("known during a commit")
			}
			return end
		})
		if !errors.Is(err, end) {
			t.Errorf("got %v, want %v", err, end)
		}
		after, known := c.Revision()
		if !known || after == before {
			t.Errorf("after a commit that ended with %v: %d, %v; before %d", end, after, known, before)
		}
		before = after
	}
}
