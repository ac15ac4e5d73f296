package articles

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/page"
)

// Teams lists the caller's teams, the newest first. A team access token shows its
// own team only.
func (s Scope) Teams(ctx context.Context, p page.Numbers) ([]identity.Team, int64, error) {
	teams, err := s.identity.TeamsOf(ctx, s.userID())
	if err != nil {
		return nil, 0, fmt.Errorf("list teams: %w", err)
	}
	if s.Caller.TeamID != 0 {
		teams = []identity.Team{*s.Team}
	}
	total := int64(len(teams))
	start := min(p.Offset(), total)
	return teams[start:min(start+int64(p.Size), total)], total, nil
}

// RemoveMember ends a membership. Owners and admins may, but not their own or that
// of an owner.
func (s Scope) RemoveMember(ctx context.Context, name string) error {
	me, err := s.identity.TeamMember(ctx, s.TeamID(), s.userID())
	if err != nil {
		return fmt.Errorf("find member: %w", err)
	}
	if !me.Role.Manages() {
		return errForbidden("Only an owner or admin of the team may remove members")
	}
	u, err := s.userByName(ctx, name)
	if err != nil {
		return err
	}
	other, err := s.identity.TeamMember(ctx, s.TeamID(), u.ID)
	if err != nil {
		return fmt.Errorf("find member: %w", err)
	}
	if u.ID == s.userID() || other.Role == identity.TeamOwner {
		return errForbidden("Neither you nor the owner of the team can be removed")
	}
	if err := s.identity.RemoveTeamMember(ctx, s.TeamID(), u.ID); errors.Is(err, identity.ErrNotFound) {
		return errNotFound()
	} else if err != nil {
		return fmt.Errorf("remove member: %w", err)
	}
	return nil
}

// Memberships lists the members of the team. Only its owner and admins see addresses
// and when a member was last there.
func (s Scope) Memberships(ctx context.Context, p page.Numbers) (
	[]identity.TeamMembership, int64, error,
) {
	me, err := s.identity.TeamMember(ctx, s.TeamID(), s.userID())
	if err != nil {
		return nil, 0, fmt.Errorf("find member: %w", err)
	}
	list, total, err := s.identity.TeamMembers(ctx, s.TeamID(), int(p.Offset()), p.Size)
	for n := range list {
		if !me.Role.Manages() {
			list[n].User.Email, list[n].LastAccess = "", time.Time{}
		}
	}
	return list, total, err
}
