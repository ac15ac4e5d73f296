package accessrecheck_test

import (
	"errors"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/route/accessrecheck"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	now := clock.NewVirtual(time.Unix(0, 0))
	var lost error
	asked := 0
	access := accessrecheck.New(now, func() error {
		asked++
		return lost
	})
	for range 3 {
		if err := access.Check(); err != nil || asked != 0 {
			t.Errorf("at once: %v, asked %d times", err, asked)
		}
	}
	now.Advance(accessrecheck.Every)
	for range 3 {
		if err := access.Check(); err != nil || asked != 1 {
			t.Errorf("a second later: %v, asked %d times, want 1", err, asked)
		}
	}
	lost = accessrecheck.ErrLost
	now.Advance(accessrecheck.Every)
	if err := access.Check(); !errors.Is(err, lost) {
		t.Errorf("lost: %v", err)
	}
}
