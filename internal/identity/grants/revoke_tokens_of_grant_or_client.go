package grants

import (
	"context"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// Revoke ends the token with the secret and every other of its grant;
// identity.ErrUnknown when there is no such token.
func (g *Grants) Revoke(ctx context.Context, secret string) error {
	return g.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		t, err := g.identity.TokenBySecretIn(ctx, tx, secret)
		if err != nil {
			return err
		}
		ended, err := g.identity.RevokeTokenIn(ctx, tx, t.ID)
		if err != nil {
			return err
		}
		if err := g.identity.RevokeFamilyIn(ctx, tx, t.Family); err != nil || !ended {
			return err
		}
		return g.recordRevoked(ctx, tx, t)
	})
}

// revokeFamily ends every token of a grant.
func (g *Grants) revokeFamily(ctx context.Context, family string) error {
	return g.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		return g.identity.RevokeFamilyIn(ctx, tx, family)
	})
}

// RevokeClientIn ends every token that a client has for the user of one of them, of whatever grant, and what the user
// has allowed it and it has not redeemed yet, inside the caller's transaction.
func (g *Grants) RevokeClientIn(ctx context.Context, tx *database.Tx, t identity.Token) error {
	ids, err := tokensOfClient(ctx, tx, t.ClientID, t.UserID)
	for _, id := range ids {
		if err == nil {
			_, err = g.identity.RevokeTokenIn(ctx, tx, id)
		}
	}
	if err == nil {
		err = denyApproved(ctx, tx, t.ClientID, t.UserID)
	}
	if err != nil || len(ids) == 0 {
		return err
	}
	return g.recordRevoked(ctx, tx, t)
}
