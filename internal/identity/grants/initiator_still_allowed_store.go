package grants

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// Initiator is in whose name something goes on after the request that began it: a user, and the client or the key that
// the request came with. Each may be none.
type Initiator struct {
	UserID   int64
	ClientID string
	KeyID    int64
}

// MayGoOn is nil while what was begun may go on. identity.ErrDisabled means that its user is disabled, which may
// change, or removed; identity.ErrRevoked that the consent to its client was withdrawn or its key revoked, which does
// not. Whatever works in the background for a user asks it each time.
func (i Initiator) MayGoOn(ctx context.Context, q database.Querier, now time.Time) error {
	if err := checkEnabled(ctx, q, i.UserID); err != nil {
		return err
	}
	ended, err := CredentialRevoked(ctx, q, i.KeyID)
	if i.ClientID != "" {
		ended, err = withdrawn(ctx, q, i.ClientID, i.UserID, now)
	}
	if err == nil && ended {
		return identity.ErrRevoked
	}
	return err
}

// withdrawn reports whether a client may not act for a user any more because its tokens were revoked, by the user or by
// itself. Tokens that only ran out withdraw nothing.
func withdrawn(ctx context.Context, q database.Querier, clientID string, userID int64, now time.Time) (bool, error) {
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
