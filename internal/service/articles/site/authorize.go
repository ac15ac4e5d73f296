package site

import (
	"context"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/articles/refusal"
)

// The four scopes in the contract's own spelling; the dialect knows others.
const (
	ScopeRead      = "read_svc"
	ScopeReadTeam  = "read_svc_team"
	ScopeWrite     = "write_svc"
	ScopeWriteTeam = "write_svc_team"
)

// Scopes are the four scopes as the consent page explains them.
func Scopes() []module.Scope {
	return []module.Scope{
		{Name: ScopeRead, Description: "read your public data"},
		{Name: ScopeReadTeam, Description: "read the data of your teams"},
		{Name: ScopeWrite, Description: "write public data in your name"},
		{Name: ScopeWriteTeam, Description: "write data of your teams in your name"},
	}
}

// Need is what an operation asks of its caller.
type Need struct {
	// Write is true for every method but GET.
	Write bool
	// Own is true for the caller's own data, which needs a token even to read.
	Own bool
}

// Authorize checks the rules of the public site and of teams; the caller is nil for an anonymous request.
func (s *Sites) Authorize(ctx context.Context, site Site, n Need, caller *identity.Caller) error {
	switch {
	case site.Team == nil && !n.Write && !n.Own:
		return nil
	case caller == nil:
		return route.ErrNoCredential
	case site.Team == nil && n.Write:
		return needScope(caller, ScopeWrite)
	case site.Team == nil:
		return needScope(caller, ScopeRead)
	case caller.TeamID != 0 && caller.TeamID != site.Team.ID:
		return refusal.New(refusal.Forbidden, "The token belongs to another team")
	case site.Team.SSOOnly && caller.TeamID == 0:
		return refusal.New(refusal.Forbidden, "This team takes team access tokens only")
	}
	if err := s.checkMember(ctx, site.Team.ID, caller.UserID); err != nil {
		return err
	}
	s.identity.RecordTeamAccess(site.Team.ID, caller.UserID)
	if n.Write {
		return needScope(caller, ScopeWriteTeam)
	}
	return needScope(caller, ScopeReadTeam)
}

// AuthorizeReader admits a browser, in which no user may be signed in, to the pages of a site. Teams are for their
// members; those that take single sign-on only are not read there.
func (s *Sites) AuthorizeReader(ctx context.Context, site Site, u *identity.User) error {
	switch {
	case site.Team == nil:
		return nil
	case site.Team.SSOOnly:
		return refusal.New(refusal.Forbidden, "This team is reached with team access tokens only")
	case u == nil:
		return identity.ErrSignIn
	}
	return s.checkMember(ctx, site.Team.ID, u.ID)
}

func (s *Sites) checkMember(ctx context.Context, teamID, userID int64) error {
	_, err := s.identity.TeamMember(ctx, teamID, userID)
	if errors.Is(err, identity.ErrNotFound) {
		return refusal.New(refusal.Forbidden, "You are not a member of this team")
	}
	if err != nil {
		return fmt.Errorf("find member: %w", err)
	}
	return nil
}

func needScope(caller *identity.Caller, scope string) error {
	if caller.HasScope(scope) {
		return nil
	}
	return &route.ScopeError{Needed: []string{scope}}
}
