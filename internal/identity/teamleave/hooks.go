package teamleave

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

// Hook ends what a service keeps for a user as a member of a team. Its error keeps the user there.
type Hook = func(ctx context.Context, tx *database.Tx, teamID, userID int64) error

// Hooks are those of all services.
type Hooks struct{ list []Hook }

// Add makes a hook part of every transaction that ends a membership. Services call it before they serve.
func (h *Hooks) Add(f Hook) { h.list = append(h.list, f) }

// After runs the hooks unless what went before has failed.
func (h *Hooks) After(ctx context.Context, tx *database.Tx, before error, teamID, userID int64) error {
	for _, f := range h.list {
		if before == nil {
			before = f(ctx, tx, teamID, userID)
		}
	}
	return before
}
