package articles

import (
	"fmt"
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
)

func (s *Service) handleTeams(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]identity.Team, int64, error) { return s.Teams(r.Context(), v, c) },
		each(func(_ Visit, t identity.Team) any { return teamJSON{Active: t.Active, ID: t.Name, Name: t.Title} }))
}

func (s *Service) handleMemberships(w http.ResponseWriter, r *route.Request) error {
	var me identity.TeamMembership
	return list(s, w, r, func(v Visit, c cut) (list []identity.TeamMembership, total int64, err error) {
		if me, err = s.identity.TeamMember(r.Context(), v.teamID(), v.userID()); err != nil {
			return nil, 0, fmt.Errorf("find member: %w", err)
		}
		return s.identity.TeamMembers(r.Context(), v.teamID(), int(c.offset), int(c.limit))
	}, each(func(_ Visit, m identity.TeamMembership) any { return memberToWire(m, me.Role.Manages()) }))
}

func (s *Service) handleRemoveMember(w http.ResponseWriter, r *route.Request) error {
	return s.act(w, r, func(v Visit) error { return s.RemoveMember(r.Context(), v, r.PathValue("user_id")) })
}

// abolished answers for what the contract has ended.
func abolished(message string) route.Handler {
	return func(http.ResponseWriter, *route.Request) error { return &Error{NotFound, message} }
}
