package identity

import (
	"context"

	"stoa.dev/stoa/internal/identity/oidc"
	"stoa.dev/stoa/internal/platform/database"
)

func scanExternalUser(s database.Scanner) (e ExternalUser, err error) {
	return e, s.Scan(&e.Issuer, &e.Subject, &e.UserID, database.ScanTime(&e.CreatedAt))
}

func externalUser(ctx context.Context, q database.Querier, issuer, subject string) (ExternalUser, error) {
	return database.One(ctx, q, scanExternalUser, `SELECT issuer, subject, user_id, created_at
		FROM identity_external_users WHERE issuer = $1 AND subject = $2`, issuer, subject)
}

func externalUsersOf(ctx context.Context, q database.Querier, userID int64) ([]ExternalUser, error) {
	return database.All(ctx, q, scanExternalUser, `SELECT issuer, subject, user_id, created_at
		FROM identity_external_users WHERE user_id = $1 ORDER BY issuer, subject`, userID)
}

func insertExternalUser(ctx context.Context, q database.Querier, e ExternalUser) error {
	_, err := q.Exec(ctx, `INSERT INTO identity_external_users (issuer, subject, user_id, created_at)
		VALUES ($1, $2, $3, $4)`, e.Issuer, e.Subject, e.UserID, database.Time(e.CreatedAt))
	return err
}

func deleteExternalUsers(ctx context.Context, q database.Querier, userID int64) (int64, error) {
	r, err := q.Exec(ctx, `DELETE FROM identity_external_users WHERE user_id = $1`, userID)
	return r.RowsAffected, err
}

func externalMemberships(ctx context.Context, q database.Querier, userID int64) (map[givenMembership]bool, error) {
	list, err := database.All(ctx, q, func(s database.Scanner) (g givenMembership, err error) {
		var kind string
		err = s.Scan(&kind, &g.id)
		g.kind = oidc.Kind(kind)
		return g, err
	}, `SELECT kind, target_id FROM identity_external_memberships WHERE user_id = $1`, userID)
	set := map[givenMembership]bool{}
	for _, g := range list {
		set[g] = true
	}
	return set, err
}

func insertExternalMembership(ctx context.Context, q database.Querier, userID int64, g givenMembership) error {
	_, err := q.Exec(ctx, `INSERT INTO identity_external_memberships (user_id, kind, target_id)
		VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, userID, string(g.kind), g.id)
	return err
}

func deleteExternalMembership(ctx context.Context, q database.Querier, userID int64, g givenMembership) error {
	_, err := q.Exec(ctx, `DELETE FROM identity_external_memberships
		WHERE user_id = $1 AND kind = $2 AND target_id = $3`, userID, string(g.kind), g.id)
	return err
}
