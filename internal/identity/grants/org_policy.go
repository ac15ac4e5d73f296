package grants

import (
	"context"
	"errors"
	"slices"

	"stoa.dev/stoa/internal/identity/audittrail"
	"stoa.dev/stoa/internal/platform/database"
)

// The reasons of a refused grant, as stored.
const (
	reasonPolicy   = "policy"
	reasonInternal = "internal"
)

// approve makes the grant approved, or refused by a policy.
func (g *Grant) approve(ctx context.Context, tx *database.Tx) error {
	g.State, g.reason = Approved, ""
	err := g.checkPolicy(ctx, tx)
	switch {
	case errors.Is(err, ErrInternal):
		g.State, g.reason = Refused, reasonInternal
	case errors.Is(err, ErrPolicy):
		g.State, g.reason = Refused, reasonPolicy
	case err != nil:
		return err
	}
	return nil
}

// checkPolicy checks the rules of organizations about the grant's user, client and
// scopes.
func (g *Grant) checkPolicy(ctx context.Context, q database.Querier) error {
	if g.ClientID != "" {
		open, err := clientOpenTo(ctx, q, g.ClientID, g.UserID)
		if err != nil {
			return err
		}
		if !open {
			return ErrInternal
		}
	}
	forbidden, err := forbiddenScopes(ctx, q, g.UserID)
	if err != nil {
		return err
	}
	for _, scope := range g.Scopes {
		if slices.Contains(forbidden, scope) {
			return ErrPolicy
		}
	}
	return nil
}

// OrgPolicy is what an organization has decided about applications.
type OrgPolicy struct {
	// Forbidden are the scopes that its members grant to none.
	Forbidden []string
	// Approved are the ids of the clients that count as its own.
	Approved []string
}

// OrgPolicy lists what ForbidScope and ApproveClient have set.
func (g *Grants) OrgPolicy(ctx context.Context, orgID int64) (OrgPolicy, error) {
	forbidden, err := orgForbiddenScopes(ctx, g.db, orgID)
	if err != nil {
		return OrgPolicy{}, err
	}
	approved, err := orgApprovedClients(ctx, g.db, orgID)
	return OrgPolicy{Forbidden: forbidden, Approved: approved}, err
}

// ForbidScope keeps the members of an organization from granting a scope to
// applications, or lets them again.
func (g *Grants) ForbidScope(ctx context.Context, orgID int64, scope string, forbid bool) error {
	s, err := g.identity.Expand(ctx, scope)
	if err != nil {
		return err
	}
	return g.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		change, action := deleteForbiddenScope, "org.permit"
		if forbid {
			change, action = insertForbiddenScope, "org.forbid"
		}
		if err := change(ctx, tx, orgID, s.Name); err != nil {
			return err
		}
		return g.identity.RecordIn(ctx, tx, audittrail.Act{Action: action, OrgID: orgID, Detail: "scope " + s.Name})
	})
}
