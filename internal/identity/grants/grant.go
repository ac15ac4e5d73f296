package grants

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// Kind says how the permission travels to the application.
type Kind string

// The kinds of grants. A code is carried by the user's browser; a device code
// stays with the device, which polls while the user decides elsewhere.
const (
	KindCode   Kind = "code"
	KindDevice Kind = "device"
)

// State is where a grant stands. Expiry is not a state: a pending or approved
// grant is expired once its time has passed.
//
//	pending ──approve──▶ approved ──redeem──▶ claimed
//	   ├─────deny──────▶ denied
//	   └────policy─────▶ refused
type State string

// The states, as stored.
const (
	Pending  State = "pending"
	Approved State = "approved"
	Denied   State = "denied"
	Refused  State = "refused"
	Claimed  State = "claimed"
)

// What a redemption, a poll or a decision can meet. Each service says them in its
// own words.
var (
	ErrUnknown = errors.New("grants: no such grant")
	ErrPending = errors.New("grants: the user has not decided yet")
	ErrTooSoon = errors.New("grants: polled before the interval was over")
	// ErrDenied also answers for users who were disabled after they approved.
	ErrDenied   = errors.New("grants: the user denied the request")
	ErrExpired  = errors.New("grants: the grant has expired")
	ErrClaimed  = errors.New("grants: the grant was redeemed before")
	ErrPolicy   = errors.New("grants: a policy of the user's organization forbids the scopes")
	ErrInternal = errors.New("grants: the client is for members of its organization")
	ErrMismatch = errors.New("grants: redeemed by another client, for another redirect URI or without its proof")
)

// Grant is a permission on its way to an application. The codes are not known.
type Grant struct {
	ID      int64
	Kind    Kind
	State   State
	Service string
	// ClientID is empty where a contract lets a flow start without a client.
	ClientID string
	// UserID is who decided, zero until then.
	UserID int64
	// TeamID binds the tokens to a team.
	TeamID int64
	// Scopes are names as the contracts print them, without the scope base.
	Scopes []string
	// Asked are the scopes as the application wrote them.
	Asked       []string
	RedirectURI string
	// Interval is how long a device waits between polls.
	Interval  time.Duration
	CreatedAt time.Time
	ExpiresAt time.Time

	// nonce is what the application bound the request to, for its id token, and
	// signedInAt when the user signed in; zero where that is not known.
	nonce      string
	signedInAt time.Time
	// challenge is the S256 proof-key challenge, empty when none was sent.
	challenge string
	reason    string
	family    string
	codeHash  []byte
	userHash  []byte
}

// expired reports whether the grant ran out before it was redeemed.
func (g Grant) expired(now time.Time) bool {
	return g.State != Claimed && !now.Before(g.ExpiresAt)
}

// endedError is why a grant cannot become tokens any more, nil while it can.
func (g Grant) endedError(now time.Time) error {
	switch {
	case g.State == Claimed:
		return ErrClaimed
	case g.State == Denied:
		return ErrDenied
	case g.State == Refused && g.reason == reasonInternal:
		return ErrInternal
	case g.State == Refused:
		return ErrPolicy
	case g.expired(now):
		return ErrExpired
	}
	return nil
}

// Decide records what the user said about a pending grant. An approval becomes a
// refusal when the client is internal to an organization the user is not a member
// of, or when an organization of the user forbids one of the scopes.
func (g *Grants) Decide(ctx context.Context, id, userID int64, approve bool) (Grant, error) {
	var grant Grant
	now := g.now()
	err := g.db.WriteKeyed(ctx, writeKey(id), func(ctx context.Context, tx *database.Tx) error {
		var err error
		if grant, err = grantByID(ctx, tx, id); err != nil {
			return orUnknown(err)
		}
		if err := grant.endedError(now); err != nil {
			return err
		}
		if grant.State != Pending {
			return ErrClaimed
		}
		grant.State, grant.UserID = Denied, userID
		if approve {
			if err := grant.approve(ctx, tx); err != nil {
				return err
			}
		}
		if err := updateGrant(ctx, tx, grant); err != nil {
			return err
		}
		return g.record(ctx, tx, grant)
	})
	return grant, err
}

// writeKey serializes the changes of one grant.
func writeKey(id int64) string { return fmt.Sprintf("identity/grant/%d", id) }

// orUnknown says ErrUnknown for "no row".
func orUnknown(err error) error {
	if errors.Is(err, database.ErrNotFound) {
		return ErrUnknown
	}
	return err
}
