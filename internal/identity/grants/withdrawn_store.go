package grants

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// Withdrawn reports whether a client may not act for a user any more because its tokens were revoked, by the user or by
// itself. Tokens that only ran out withdraw nothing.
func Withdrawn(ctx context.Context, q database.Querier, clientID string, userID int64, now time.Time) (bool, error) {
	var living, revoked bool
	err := q.QueryRow(ctx, `SELECT
		EXISTS (SELECT 1 FROM identity_credentials WHERE user_id = $1 AND client_id = $2 AND revoked_at IS NULL
			AND (expires_at IS NULL OR expires_at > $3)),
		EXISTS (SELECT 1 FROM identity_credentials WHERE user_id = $1 AND client_id = $2 AND revoked_at IS NOT NULL)`,
		userID, clientID, database.Time(now)).Scan(&living, &revoked)
	return revoked && !living, err
}

// CredentialRevoked reports whether a token or key was revoked, replaced or removed: what was begun with it ends with
// it. One that only ran out was good at the beginning, as long as it is remembered. No credential that is stored has an
// id below one: a page of the console began that.
func CredentialRevoked(ctx context.Context, q database.Querier, id int64) (bool, error) {
	if id < 1 {
		return false, nil
	}
	var good bool
	err := q.QueryRow(ctx, `SELECT EXISTS (
		SELECT 1 FROM identity_credentials WHERE id = $1 AND revoked_at IS NULL)`, id).Scan(&good)
	return !good, err
}

// tokensOfClient are the tokens that a client has for a user.
func tokensOfClient(ctx context.Context, q database.Querier, clientID string, userID int64) ([]int64, error) {
	return database.All(ctx, q, func(s database.Scanner) (id int64, err error) {
		err = s.Scan(&id)
		return id, err
	}, `SELECT id FROM identity_credentials WHERE client_id = $1 AND user_id = $2 AND revoked_at IS NULL`,
		clientID, userID)
}
