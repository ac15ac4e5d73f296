package articles

import (
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
)

func (s Scope) handleCreateGroup(r *route.Request) (Group, error) {
	var in groupRequest
	if err := readBody(r, &in); err != nil {
		return Group{}, err
	}
	return s.CreateGroup(r.Context(), Group{
		URLName: in.URLName, Name: in.Name, Description: in.Description, Private: in.Private,
	})
}

func (s Scope) handleUpdateGroup(r *route.Request) (Group, error) {
	var in groupPatch
	if err := readBody(r, &in); err != nil {
		return Group{}, err
	}
	return s.UpdateGroup(r.Context(), r.PathValue("url_name"), in)
}

func (s Scope) handleGroupMember(r *route.Request) (identity.User, error) {
	return s.GroupMember(r.Context(), r.PathValue("url_name"), r.PathValue("user_id"))
}

// handleAddMembers answers with the group.
func (s Scope) handleAddMembers(r *route.Request) (Group, error) {
	var in identitiesRequest
	if err := readBody(r, &in); err != nil {
		return Group{}, err
	}
	return s.ChangeMembers(r.Context(), r.PathValue("url_name"), in.Identities, true)
}

func (s Scope) handleRemoveMembers(r *route.Request) error {
	var in identitiesRequest
	if err := readBody(r, &in); err != nil {
		return err
	}
	_, err := s.ChangeMembers(r.Context(), r.PathValue("url_name"), in.Identities, false)
	return err
}
