package grants_test

import (
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
)

// The sweep keeps a grant for a day after it expired, so that a replay is recognized.
func TestTheSweepDeletesOldGrants(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		c := h.client(identity.ClientDevice)
		h.World.Jobs.Register(h.Grants.Jobs()...)
		must(t, h.Grants.Schedule(h.ctx, h.World.Jobs))
		old := h.device(c.ID)
		for _, row := range []struct {
			wait time.Duration
			want error
		}{
			{24 * time.Hour, grants.ErrExpired},
			{24 * time.Hour, grants.ErrUnknown},
		} {
			h.Clock.Advance(row.wait)
			must(t, h.World.Jobs.Settle(h.ctx))
			_, err := h.poll(old)
			wantErr(t, err, row.want)
		}
		_, err := h.poll(h.device(c.ID))
		wantErr(t, err, grants.ErrPending)
	})
}
