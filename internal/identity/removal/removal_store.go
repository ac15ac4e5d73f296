package removal

import (
	"context"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/ownership"
)

const removeClient = "stoa client remove ID"

// owned is what identity itself keeps for others.
func owned() []ownership.Rows {
	return []ownership.Rows{
		{
			Of: ownership.User, Effect: ownership.Blocks, What: "applications", Remove: removeClient,
			SQL: `SELECT COUNT(*) FROM identity_clients WHERE owner_id = $1 OR principal_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Blocks, What: "teams without another owner",
			SQL: `SELECT COUNT(*) FROM identity_team_members m WHERE m.user_id = $1 AND m.role = 'owner' AND NOT EXISTS (
				SELECT 1 FROM identity_team_members o
				WHERE o.team_id = m.team_id AND o.role = 'owner' AND o.user_id <> m.user_id)`,
		},
		{
			Of: ownership.Org, Effect: ownership.Blocks, What: "applications", Remove: removeClient,
			SQL: `SELECT COUNT(*) FROM identity_clients WHERE org_id = $1`,
		},
	}
}

func freeName(ctx context.Context, q database.Querier, name string) error {
	_, err := q.Exec(ctx, `DELETE FROM identity_names WHERE name = $1`, strings.ToLower(name))
	return err
}

func deleteUser(ctx context.Context, q database.Querier, id int64) error {
	_, err := q.Exec(ctx, `DELETE FROM identity_users WHERE id = $1`, id)
	return err
}

// emptyUser leaves nothing of a user but the name.
func emptyUser(ctx context.Context, q database.Querier, id int64, now time.Time) (int64, error) {
	for _, text := range []string{
		`DELETE FROM identity_sessions WHERE user_id = $1`,
		`DELETE FROM identity_credentials WHERE user_id = $1 OR account_id = $1`,
		`DELETE FROM identity_grants WHERE user_id = $1`,
		`DELETE FROM identity_org_members WHERE user_id = $1`,
		`DELETE FROM identity_team_members WHERE user_id = $1`,
		`DELETE FROM identity_external_users WHERE user_id = $1`,
		`DELETE FROM identity_external_memberships WHERE user_id = $1`,
	} {
		if _, err := q.Exec(ctx, text, id); err != nil {
			return 0, err
		}
	}
	r, err := q.Exec(ctx, `UPDATE identity_users SET display_name = '', email = '', password_hash = '', admin = $1,
		disabled = $2, removed_at = $3 WHERE id = $4 AND removed_at IS NULL`, false, true, database.Time(now), id)
	return r.RowsAffected, err
}

func deleteOrg(ctx context.Context, q database.Querier, id int64) (int64, error) {
	r, err := q.Exec(ctx, `DELETE FROM identity_orgs WHERE id = $1`, id)
	return r.RowsAffected, err
}

func deleteTeam(ctx context.Context, q database.Querier, id int64) (int64, error) {
	r, err := q.Exec(ctx, `DELETE FROM identity_teams WHERE id = $1`, id)
	return r.RowsAffected, err
}

// deleteGivenMemberships forgets what a provider's groups gave in an organization or a team.
func deleteGivenMemberships(ctx context.Context, q database.Querier, kind string, id int64) error {
	_, err := q.Exec(ctx, `DELETE FROM identity_external_memberships WHERE kind = $1 AND target_id = $2`, kind, id)
	return err
}
