package articles

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
)

func showGroup(_ Visit, g Group) any { return groupToWire(&g) }

func (s *Service) handleGroups(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]Group, int64, error) { return s.Groups(r.Context(), v, c) }, each(showGroup))
}

func (s *Service) handleCreateGroup(w http.ResponseWriter, r *route.Request) error {
	var in groupRequest
	if err := body(r, &in); err != nil {
		return err
	}
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	g, err := s.CreateGroup(r.Context(), v, Group{URLName: in.URLName, Name: in.Name, Description: in.Description, Private: in.Private})
	return answer(w, r, http.StatusCreated, v, g, err, each(showGroup))
}

func (s *Service) handleGroup(w http.ResponseWriter, r *route.Request) error {
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	g, err := s.seeGroup(r.Context(), s.world.DB, v, r.PathValue("url_name"))
	return answer(w, r, http.StatusOK, v, g, err, each(showGroup))
}

func (s *Service) handleUpdateGroup(w http.ResponseWriter, r *route.Request) error {
	var in groupPatch
	if err := body(r, &in); err != nil {
		return err
	}
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	g, err := s.UpdateGroup(r.Context(), v, r.PathValue("url_name"), GroupChange(in))
	return answer(w, r, http.StatusOK, v, g, err, each(showGroup))
}

func (s *Service) handleDeleteGroup(w http.ResponseWriter, r *route.Request) error {
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	return done(w, s.DeleteGroup(r.Context(), v, r.PathValue("url_name")))
}

func (s *Service) handleGroupMembers(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]int64, int64, error) {
		return s.GroupMembers(r.Context(), v, r.PathValue("url_name"), c)
	}, func(v Visit, ids []int64) (any, error) {
		manages, err := s.manages(r.Context(), v)
		if err != nil {
			return nil, err
		}
		users, err := s.people.UsersByID(r.Context(), ids)
		if err != nil {
			return nil, err
		}
		byID := make(map[int64]identity.User, len(users))
		for _, u := range users {
			byID[u.ID] = u
		}
		out := []any{}
		for _, id := range ids {
			if u, ok := byID[id]; ok {
				out = append(out, groupMemberToWire(u, manages))
			}
		}
		return out, nil
	})
}

func (s *Service) handleGroupMember(w http.ResponseWriter, r *route.Request) error {
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	u, err := s.GroupMember(r.Context(), v, r.PathValue("url_name"), r.PathValue("user_id"))
	if err != nil {
		return err
	}
	manages, err := s.manages(r.Context(), v)
	if err != nil {
		return err
	}
	return write(w, r, http.StatusOK, groupMemberToWire(u, manages))
}

// handleChangeMembers answers an addition with the group.
func (s *Service) handleChangeMembers(in bool) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		var who identitiesRequest
		if err := body(r, &who); err != nil {
			return err
		}
		v, err := s.visit(r)
		if err != nil {
			return err
		}
		g, err := s.ChangeMembers(r.Context(), v, r.PathValue("url_name"), who.Identities, in)
		if !in {
			return done(w, err)
		}
		return answer(w, r, http.StatusCreated, v, g, err, each(showGroup))
	}
}
