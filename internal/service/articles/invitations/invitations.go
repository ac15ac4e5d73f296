package invitations

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/beforecommit"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/articles/refusal"
)

const (
	// lifetime is how long an invitation can be accepted.
	lifetime = 24 * time.Hour
	// maxOpen is how many invitations a team may have open.
	maxOpen = 1000
	// maxEmail is the longest mail address that RFC 5321 allows.
	maxEmail = 254
)

// Invitation is an open invitation to a team.
type Invitation struct {
	TeamID int64
	Email  string
	// UserID is who made it.
	UserID    int64
	CreatedAt time.Time
	ExpiresAt time.Time
}

// Invitations keeps the invitations of all teams.
type Invitations struct {
	world    *world.World
	identity *identity.Identity
	sites    Sites
}

// New makes Invitations. It touches no store.
func New(w *world.World, i *identity.Identity, s Sites) *Invitations { return &Invitations{w, i, s} }

func (i *Invitations) now() time.Time { return i.world.Clock.Now().UTC().Truncate(time.Microsecond) }

// manages refuses a caller who may not invite.
func (i *Invitations) manages(ctx context.Context, teamID, userID int64) error {
	me, err := i.identity.TeamMember(ctx, teamID, userID)
	if err != nil {
		return fmt.Errorf("find member: %w", err)
	}
	if !me.Role.Manages() {
		return refusal.New(refusal.Forbidden, "Only an owner or admin of the team may see and make invitations")
	}
	return nil
}

// List gives the open invitations of a team, the newest first.
func (i *Invitations) List(ctx context.Context, teamID, userID int64, p page.Numbers) ([]Invitation, int64, error) {
	if err := i.manages(ctx, teamID, userID); err != nil {
		return nil, 0, err
	}
	return list(ctx, i.world.DB, teamID, i.now(), p)
}

// Create invites. Inviting the same address again makes the invitation new, and the one before void.
func (i *Invitations) Create(ctx context.Context, teamID, userID int64, email string) (Invitation, error) {
	now := i.now()
	v := Invitation{teamID, strings.ToLower(strings.TrimSpace(email)), userID, now, now.Add(lifetime)}
	if err := i.manages(ctx, teamID, userID); err != nil {
		return v, err
	}
	if parsed, err := mail.ParseAddress(v.Email); err != nil || parsed.Address != v.Email || len(v.Email) > maxEmail {
		return v, refusal.New(refusal.BadRequest, "email must be a mail address of at most %d characters", maxEmail)
	}
	if err := i.checkNotMember(ctx, teamID, v.Email); err != nil {
		return v, err
	}
	return v, i.world.DB.WriteKeyed(ctx, fmt.Sprint("articles/invitations/", teamID),
		func(ctx context.Context, tx *database.Tx) error {
			open, err := deleteExpired(ctx, tx, teamID, now)
			if err != nil {
				return err
			}
			if open >= maxOpen {
				return refusal.New(refusal.Forbidden, "The team has %d open invitations; withdraw some", open)
			}
			return upsert(ctx, tx, v)
		})
}

// Delete withdraws an invitation.
func (i *Invitations) Delete(ctx context.Context, teamID, userID int64, email string) error {
	if err := i.manages(ctx, teamID, userID); err != nil {
		return err
	}
	return i.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		return remove(ctx, tx, Invitation{TeamID: teamID, Email: strings.ToLower(email)}, i.now())
	})
}

// signed is what the address of an invitation holds. A withdrawn or newer invitation of the same
// mail address has another time.
type signed struct {
	TeamID    int64     `json:"t"`
	Email     string    `json:"e"`
	CreatedAt time.Time `json:"c"`
}

const signedFor = "articles invitation"

func (i *Invitations) sealer() *page.Sealer { return page.NewSealer(i.world.Seal.Derive(signedFor)) }

// token is the secret end of an invitation's address.
func (i *Invitations) token(v Invitation) string {
	return i.sealer().SealUntil(signed{v.TeamID, v.Email, v.CreatedAt}, signedFor, v.ExpiresAt)
}

// opened finds the invitation of a token, and its team.
func (i *Invitations) opened(ctx context.Context, token string) (v Invitation, t identity.Team, err error) {
	var s signed
	if err := i.sealer().OpenAt(token, signedFor, i.now(), &s); err != nil {
		return v, t, refusal.Missing()
	}
	v, err = byEmail(ctx, i.world.DB, s.TeamID, s.Email, i.now())
	if errors.Is(err, database.ErrNotFound) || err == nil && !v.CreatedAt.Equal(s.CreatedAt) {
		return v, t, refusal.Missing()
	}
	if err != nil {
		return v, t, err
	}
	t, err = i.identity.Team(ctx, v.TeamID)
	if err == nil {
		// It is good while its maker may invite: who was removed does not come back by it.
		err = i.manages(ctx, v.TeamID, v.UserID)
	}
	var refused *refusal.Error
	if errors.Is(err, identity.ErrNotFound) || errors.As(err, &refused) {
		return v, t, refusal.Missing()
	}
	return v, t, err
}

// accept makes a user a member, once. Who is one already keeps their role.
func (i *Invitations) accept(ctx context.Context, v Invitation, userID int64) error {
	member, err := i.isMember(ctx, v.TeamID, userID)
	if err != nil {
		return err
	}
	removed := func(ctx context.Context, tx *database.Tx) error { return remove(ctx, tx, v, i.now()) }
	if member {
		return i.world.DB.Write(ctx, removed)
	}
	// One transaction: a guest whose membership is not written keeps the invitation, and of two who
	// accept it at once the second is rolled back.
	err = i.identity.SetTeamMember(beforecommit.With(ctx, removed), v.TeamID, userID, identity.TeamMember)
	if errors.Is(err, identity.ErrNotFound) {
		return refusal.Missing()
	}
	return err
}

func (i *Invitations) isMember(ctx context.Context, teamID, userID int64) (bool, error) {
	_, err := i.identity.TeamMember(ctx, teamID, userID)
	if errors.Is(err, identity.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// checkNotMember refuses an address that a member of the team has.
func (i *Invitations) checkNotMember(ctx context.Context, teamID int64, email string) error {
	u, err := i.identity.UserByEmail(ctx, email)
	if errors.Is(err, identity.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if member, err := i.isMember(ctx, teamID, u.ID); err != nil || !member {
		return err
	}
	return refusal.New(refusal.BadRequest, "%s is a member of the team already", email)
}
