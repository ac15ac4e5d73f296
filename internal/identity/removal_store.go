package identity

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

func freeName(ctx context.Context, q database.Querier, name string) error {
	_, err := q.Exec(ctx, `DELETE FROM identity_names WHERE name = $1`, fold(name))
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
