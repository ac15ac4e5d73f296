package articles

import (
	"context"
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
)

func showGroup(_ Visit, g Group) any { return groupToWire(&g) }

func (s *Service) handleGroups(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]Group, int64, error) { return s.Groups(r.Context(), v, c) }, each(showGroup))
}

func (s *Service) handleCreateGroup(w http.ResponseWriter, r *route.Request) error {
	var in groupRequest
	return put(s, w, r, http.StatusCreated, &in, func(v Visit) (Group, error) {
		return s.CreateGroup(r.Context(), v, Group{URLName: in.URLName, Name: in.Name, Description: in.Description, Private: in.Private})
	}, each(showGroup))
}

func (s *Service) handleGroup(w http.ResponseWriter, r *route.Request) error {
	return one(s, w, r, func(v Visit) (Group, error) {
		return s.seeGroup(r.Context(), s.world.DB, v, r.PathValue("url_name"))
	}, each(showGroup))
}

func (s *Service) handleUpdateGroup(w http.ResponseWriter, r *route.Request) error {
	var in groupPatch
	return put(s, w, r, http.StatusOK, &in, func(v Visit) (Group, error) {
		return s.UpdateGroup(r.Context(), v, r.PathValue("url_name"), GroupChange(in))
	}, each(showGroup))
}

func (s *Service) handleDeleteGroup(w http.ResponseWriter, r *route.Request) error {
	return s.act(w, r, func(v Visit) error { return s.DeleteGroup(r.Context(), v, r.PathValue("url_name")) })
}

// showMembers writes people as members of a group.
func (s *Service) showMembers(ctx context.Context) func(Visit, []int64) (any, error) {
	return func(v Visit, ids []int64) (any, error) {
		manages, err := s.manages(ctx, v)
		if err != nil {
			return nil, err
		}
		people, err := s.persons(ctx, ids)
		if err != nil {
			return nil, err
		}
		out := []any{}
		for _, id := range ids {
			if p, ok := people[id]; ok {
				out = append(out, groupMemberToWire(p.User, manages))
			}
		}
		return out, nil
	}
}

func (s *Service) handleGroupMembers(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]int64, int64, error) {
		return s.GroupMembers(r.Context(), v, r.PathValue("url_name"), c)
	}, s.showMembers(r.Context()))
}

func (s *Service) handleGroupMember(w http.ResponseWriter, r *route.Request) error {
	return one(s, w, r, func(v Visit) (int64, error) {
		return s.GroupMember(r.Context(), v, r.PathValue("url_name"), r.PathValue("user_id"))
	}, s.showMembers(r.Context()))
}

// handleAddMembers answers with the group.
func (s *Service) handleAddMembers(w http.ResponseWriter, r *route.Request) error {
	var in identitiesRequest
	return put(s, w, r, http.StatusCreated, &in, func(v Visit) (Group, error) {
		return s.ChangeMembers(r.Context(), v, r.PathValue("url_name"), in.Identities, true)
	}, each(showGroup))
}

func (s *Service) handleRemoveMembers(w http.ResponseWriter, r *route.Request) error {
	var in identitiesRequest
	if err := body(r, &in); err != nil {
		return err
	}
	return s.act(w, r, func(v Visit) error {
		_, err := s.ChangeMembers(r.Context(), v, r.PathValue("url_name"), in.Identities, false)
		return err
	})
}
