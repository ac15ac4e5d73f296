package packages

import (
	"context"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// TestRoundsEndInTime checks that a round which the time of its job ends is done, and that one which the end of the
// process interrupts is not.
func TestRoundsEndInTime(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		s := storeOnly(db)
		late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
		defer cancel()
		if err := s.syncRound(late); err != nil {
			t.Errorf("a round whose time is over: %v, want that it is done", err)
		}
		interrupted, interrupt := context.WithCancel(t.Context())
		interrupt()
		if err := s.syncRound(interrupted); err == nil {
			t.Error("a round that was interrupted is done, want its error")
		}
	}, migrations())
}
