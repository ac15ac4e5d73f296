package articles

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/articles/web"
)

// Edition is where a request is made: on the public site or, with a Team, on the
// host of a team.
type Edition struct{ Team *identity.Team }

// teamID is 0 on the public site.
func (e Edition) teamID() int64 {
	if e.Team == nil {
		return 0
	}
	return e.Team.ID
}

// Scope is the service as one request sees it: in an edition, for a caller. The
// operations are its methods.
type Scope struct {
	*Service
	Edition
	// Caller is nil for an anonymous request.
	Caller *identity.Caller
	// rows bounds the rows that are read for the answer; nil bounds nothing.
	rows *rowMemory
}

// userID is 0 for an anonymous request.
func (s Scope) userID() int64 {
	if s.Caller == nil {
		return 0
	}
	return s.Caller.UserID
}

// owner is who answers for the work of a write, which is never anonymous.
func (s Scope) owner() budget.Owner {
	if s.Caller == nil {
		return budget.Address("")
	}
	return budget.Caller(s.Caller.LimitKey())
}

// EditionByHost finds the team behind a host name, which carries no port.
func (s *Service) EditionByHost(ctx context.Context, host string) (Edition, error) {
	label, ok := strings.CutSuffix(strings.ToLower(strings.TrimSuffix(host, ".")), "."+s.config.Host)
	if !ok || label == "" || strings.Contains(label, ".") {
		return Edition{}, nil
	}
	team, err := s.identity.TeamByName(ctx, label)
	if errors.Is(err, identity.ErrNotFound) || (err == nil && !team.Active) {
		return Edition{}, errNotFound("Not found")
	}
	if err != nil {
		return Edition{}, fmt.Errorf("find team: %w", err)
	}
	return Edition{Team: &team}, nil
}

// editionURL is the address of an edition, without a slash at its end.
func (s *Service) editionURL(e Edition) string {
	base := s.world.URL()
	if e.Team == nil {
		return base
	}
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	host := e.Team.Name + "." + s.config.Host
	if port := u.Port(); port != "" {
		host += ":" + port
	}
	u.Host = host
	return strings.TrimSuffix(u.String(), "/")
}

// itemPath is where browsers read the item.
func itemPath(i Item) string {
	folder := "/items/"
	if i.Private {
		folder = "/private/"
	}
	return web.Prefix + "/" + i.User.Name + folder + i.ID
}

// Need is what an operation asks of its caller.
type Need struct {
	// Write is true for every method but GET.
	Write bool
	// Own is true for the caller's own data, which needs a token even to read.
	Own bool
}

// Admit checks the rules of both editions; the caller is nil for an anonymous
// request.
func (s *Service) Admit(ctx context.Context, e Edition, n Need, caller *identity.Caller) error {
	switch {
	case e.Team == nil && !n.Write && !n.Own:
		return nil
	case caller == nil:
		return route.ErrNoCredential
	case e.Team == nil && n.Write:
		return needScope(caller, ScopeWrite)
	case e.Team == nil:
		return needScope(caller, ScopeRead)
	case caller.TeamID != 0 && caller.TeamID != e.Team.ID:
		return errForbidden("The token belongs to another team")
	case e.Team.SSOOnly && caller.TeamID == 0:
		return errForbidden("This team takes team access tokens only")
	}
	if err := s.checkTeamMember(ctx, e.Team.ID, caller.UserID); err != nil {
		return err
	}
	s.identity.RecordTeamAccess(e.Team.ID, caller.UserID)
	if n.Write {
		return needScope(caller, ScopeWriteTeam)
	}
	return needScope(caller, ScopeReadTeam)
}

func (s *Service) checkTeamMember(ctx context.Context, teamID, userID int64) error {
	_, err := s.identity.TeamMember(ctx, teamID, userID)
	if errors.Is(err, identity.ErrNotFound) {
		return errForbidden("You are not a member of this team")
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

// reader admits a browser to the pages of an edition. Teams are for their members;
// those that take single sign-on only are not read here.
func (s *Service) reader(ctx context.Context, e Edition, u *identity.User) (Scope, error) {
	scope := Scope{Service: s, Edition: e}
	if u != nil {
		scope.Caller = &identity.Caller{UserID: u.ID, UserName: u.Name}
	}
	switch {
	case e.Team == nil:
		return scope, nil
	case e.Team.SSOOnly:
		return scope, errForbidden("This team is reached with team access tokens only")
	case u == nil:
		return scope, identity.ErrSignIn
	}
	return scope, s.checkTeamMember(ctx, e.Team.ID, u.ID)
}
