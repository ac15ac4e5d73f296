package removal

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/ownership"
)

// owned is what identity itself keeps for others.
func owned() []ownership.Rows {
	return []ownership.Rows{
		{
			Of: ownership.User, Effect: ownership.Blocks, What: "applications",
			SQL: `SELECT COUNT(*) FROM identity_clients WHERE owner_id = $1 OR principal_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Blocks, What: "teams without another owner",
			SQL: `SELECT COUNT(*) FROM identity_team_members m WHERE m.user_id = $1 AND m.role = 'owner' AND NOT EXISTS (
				SELECT 1 FROM identity_team_members o
				WHERE o.team_id = m.team_id AND o.role = 'owner' AND o.user_id <> m.user_id)`,
		},
		{
			Of: ownership.Org, Effect: ownership.Blocks, What: "applications",
			SQL: `SELECT COUNT(*) FROM identity_clients WHERE org_id = $1`,
		},
	}
}

// isLastAdmin reports whether no other user could take over from an administrator.
func isLastAdmin(ctx context.Context, q database.Querier, id int64) (last bool, err error) {
	err = q.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM identity_users WHERE id = $1 AND admin) AND NOT EXISTS (
		SELECT 1 FROM identity_users WHERE admin AND NOT disabled AND id <> $1)`, id).Scan(&last)
	return last, err
}
