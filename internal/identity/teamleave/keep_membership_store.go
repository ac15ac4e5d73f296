package teamleave

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

// Keep reports whether a user is a member of a team, and keeps the membership as it is until the transaction ends: who
// ends it waits for that, and the hooks then find what the transaction wrote for the member. A transaction that keeps
// several users goes in the order of their ids.
func Keep(ctx context.Context, tx *database.Tx, teamID, userID int64) (bool, error) {
	r, err := tx.Exec(ctx, `UPDATE identity_team_members SET role = role WHERE team_id = $1 AND user_id = $2`,
		teamID, userID)
	return r.RowsAffected > 0, err
}
