package articles

import (
	"context"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// Teams lists the caller's teams, the newest first. A team access token knows
// of its own team only.
func (s *Service) Teams(ctx context.Context, v Visit, c cut) ([]identity.Team, int64, error) {
	teams, err := s.identity.TeamsOf(ctx, v.userID())
	if err != nil {
		return nil, 0, fmt.Errorf("list teams: %w", err)
	}
	if v.Caller.TeamID != 0 {
		teams = []identity.Team{*v.Team}
	}
	total := int64(len(teams))
	return teams[min(c.offset, total):min(c.offset+c.limit, total)], total, nil
}

// RemoveMember ends a membership. Owners and admins may, but nobody removes
// oneself or an owner.
func (s *Service) RemoveMember(ctx context.Context, v Visit, name string) error {
	me, err := s.identity.TeamMember(ctx, v.teamID(), v.userID())
	if err != nil {
		return fmt.Errorf("find member: %w", err)
	}
	if !me.Role.Manages() {
		return errForbidden("Only an owner or admin of the team may remove members")
	}
	p, err := s.person(ctx, v, name)
	if err != nil {
		return err
	}
	other, err := s.identity.TeamMember(ctx, v.teamID(), p.ID)
	if err != nil {
		return fmt.Errorf("find member: %w", err)
	}
	if p.ID == v.userID() || other.Role == identity.TeamOwner {
		return errForbidden("Neither you nor the owner of the team can be removed")
	}
	// The groups come first: whoever is in the team still may lose them, but
	// whoever comes back one day must not find them.
	err = s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		return s.store.forgetMember(ctx, tx, v.teamID(), p.ID)
	})
	if err != nil {
		return err
	}
	if err := s.identity.RemoveTeamMember(ctx, v.teamID(), p.ID); errors.Is(err, identity.ErrNotFound) {
		return errNotFound()
	} else if err != nil {
		return fmt.Errorf("remove member: %w", err)
	}
	return nil
}
