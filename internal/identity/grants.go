package identity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// GrantKind says how the permission travels to the application.
type GrantKind string

// The kinds of grants. A code is carried by the user's browser; a device code
// stays with the device, which polls while the user decides elsewhere.
const (
	GrantCode   GrantKind = "code"
	GrantDevice GrantKind = "device"
)

// GrantState is where a grant stands. Expiry is not a state: a pending or
// approved grant is expired once its time has passed.
//
//	pending ──approve──▶ approved ──redeem──▶ claimed
//	   ├─────deny──────▶ denied
//	   └────policy─────▶ refused
type GrantState string

// The states.
const (
	GrantPending  GrantState = "pending"
	GrantApproved GrantState = "approved"
	GrantDenied   GrantState = "denied"
	GrantRefused  GrantState = "refused"
	GrantClaimed  GrantState = "claimed"
)

// What a redemption or poll can meet. Each facade says them in its own words.
var (
	ErrGrantUnknown = errors.New("identity: no such grant")
	ErrGrantPending = errors.New("identity: the user has not decided yet")
	ErrGrantTooSoon = errors.New("identity: polled before the interval was over")
	// ErrGrantDenied also answers for users who were disabled after their yes.
	ErrGrantDenied   = errors.New("identity: the user said no")
	ErrGrantExpired  = errors.New("identity: the grant has expired")
	ErrGrantClaimed  = errors.New("identity: the grant was redeemed before")
	ErrGrantPolicy   = errors.New("identity: a policy of the user's organization forbids the scopes")
	ErrGrantInternal = errors.New("identity: the client is for members of its organization")
	ErrGrantMismatch = errors.New("identity: redeemed by another client, for another address or without its proof")
)

// The reasons of a refused grant, as stored.
const (
	reasonPolicy   = "policy"
	reasonInternal = "internal"
)

// Grant is a permission on its way to an application. The codes are not known.
type Grant struct {
	ID      int64
	Kind    GrantKind
	State   GrantState
	Service string
	// ClientID is empty where a contract lets anybody start a flow.
	ClientID string
	// UserID is who decided, zero while nobody has.
	UserID int64
	// TeamID binds the tokens to a team.
	TeamID int64
	// Scopes are names as the contracts print them, without the scope base.
	Scopes      []string
	RedirectURI string
	// Interval is how long a device waits between polls.
	Interval  time.Duration
	CreatedAt time.Time
	ExpiresAt time.Time

	// challenge is the S256 proof-key challenge, empty when none was sent.
	challenge string
	reason    string
	family    string
	codeHash  []byte
	userHash  []byte
}

// Expired reports whether the grant ran out before it was redeemed.
func (g Grant) Expired(now time.Time) bool {
	return g.State != GrantClaimed && !now.Before(g.ExpiresAt)
}

// endedError is why a grant cannot become tokens any more, nil while it can.
func (g Grant) endedError(now time.Time) error {
	switch {
	case g.State == GrantClaimed:
		return ErrGrantClaimed
	case g.State == GrantDenied:
		return ErrGrantDenied
	case g.State == GrantRefused && g.reason == reasonInternal:
		return ErrGrantInternal
	case g.State == GrantRefused:
		return ErrGrantPolicy
	case g.Expired(now):
		return ErrGrantExpired
	}
	return nil
}

// Grant finds a grant by id.
func (i *Identity) Grant(ctx context.Context, id int64) (Grant, error) {
	g, err := grantByID(ctx, i.db, id)
	return g, unknownGrant(err)
}

// Decide records what the user said about a pending grant. A yes becomes a
// refusal when the client is internal to an organization the user is not a
// member of, or when an organization of the user forbids one of the scopes.
func (i *Identity) Decide(ctx context.Context, id, userID int64, yes bool) (Grant, error) {
	var g Grant
	now := i.now()
	err := i.db.WriteKeyed(ctx, fmt.Sprintf("identity/grant/%d", id), func(ctx context.Context, tx *database.Tx) error {
		var err error
		if g, err = grantByID(ctx, tx, id); err != nil {
			return unknownGrant(err)
		}
		if err := g.endedError(now); err != nil {
			return err
		}
		if g.State != GrantPending {
			return ErrGrantClaimed
		}
		g.State, g.UserID = GrantDenied, userID
		if yes {
			if err := i.applyApproval(ctx, tx, &g); err != nil {
				return err
			}
		}
		return updateGrant(ctx, tx, g)
	})
	return g, err
}

// applyApproval turns a yes into approved or refused.
func (i *Identity) applyApproval(ctx context.Context, tx *database.Tx, g *Grant) error {
	g.State, g.reason = GrantApproved, ""
	err := i.checkPolicy(ctx, tx, *g)
	switch {
	case errors.Is(err, ErrGrantInternal):
		g.State, g.reason = GrantRefused, reasonInternal
	case errors.Is(err, ErrGrantPolicy):
		g.State, g.reason = GrantRefused, reasonPolicy
	case err != nil:
		return err
	}
	return nil
}

// checkPolicy checks the rules of organizations about the grant's user, client and
// scopes.
func (i *Identity) checkPolicy(ctx context.Context, q database.Querier, g Grant) error {
	if g.ClientID != "" {
		c, err := clientByID(ctx, q, g.ClientID)
		if err != nil {
			return err
		}
		if c.Internal {
			member, err := isOrgMember(ctx, q, c.OrgID, g.UserID)
			if err != nil {
				return err
			}
			if !member {
				return ErrGrantInternal
			}
		}
	}
	forbidden, err := forbiddenScopes(ctx, q, g.UserID)
	if err != nil {
		return err
	}
	for _, scope := range g.Scopes {
		if slices.Contains(forbidden, scope) {
			return ErrGrantPolicy
		}
	}
	return nil
}

// ForbidScope keeps the members of an organization from handing out a scope,
// or lets them again.
func (i *Identity) ForbidScope(ctx context.Context, orgID int64, scope string, forbid bool) error {
	s, err := i.Expand(scope)
	if err != nil {
		return err
	}
	return i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		return setForbidden(ctx, tx, orgID, s.Name, forbid)
	})
}

// SweepGrants deletes grants that ran out before the time and says how many.
func (i *Identity) SweepGrants(ctx context.Context, before time.Time) (int64, error) {
	return i.sweep(ctx, deleteGrants, before)
}

// unknownGrant says ErrGrantUnknown for "no row".
func unknownGrant(err error) error {
	if errors.Is(err, database.ErrNotFound) {
		return ErrGrantUnknown
	}
	return err
}
