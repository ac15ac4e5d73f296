package articles

import (
	"context"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/articles/groups"
)

func (s Scope) handleGroups(r *route.Request, p page.Numbers) ([]groups.Group, int64, error) {
	return s.groups.List(r.Context(), s.viewer(), p)
}

func (s Scope) handleGroup(r *route.Request) (groups.Group, error) {
	return s.groups.Find(r.Context(), s.world.DB, s.viewer(), r.PathValue("url_name"))
}

func (s Scope) handleCreateGroup(r *route.Request) (groups.Group, error) {
	var in groupRequest
	if err := readBody(r, &in); err != nil {
		return groups.Group{}, err
	}
	return s.groups.Create(r.Context(), s.viewer(), groups.Group{
		URLName: in.URLName, Name: in.Name, Description: in.Description, Private: in.Private,
	})
}

func (s Scope) handleUpdateGroup(r *route.Request) (groups.Group, error) {
	var in groupPatch
	if err := readBody(r, &in); err != nil {
		return groups.Group{}, err
	}
	return s.groups.Update(r.Context(), s.viewer(), r.PathValue("url_name"), groups.Patch(in))
}

// DeleteGroup ends a group that the caller may change.
func (s Scope) DeleteGroup(ctx context.Context, urlName string) error {
	return s.groups.Delete(ctx, s.viewer(), urlName)
}

// GroupMembers lists the members of a group, the first first.
func (s Scope) GroupMembers(ctx context.Context, urlName string, p page.Numbers) ([]identity.User, int64, error) {
	return s.groups.Members(ctx, s.viewer(), urlName, p)
}

func (s Scope) handleGroupMember(r *route.Request) (identity.User, error) {
	u, err := s.userByName(r.Context(), r.PathValue("user_id"))
	if err != nil {
		return identity.User{}, err
	}
	return s.groups.Member(r.Context(), s.viewer(), r.PathValue("url_name"), u.ID)
}

// handleAddMembers answers with the group.
func (s Scope) handleAddMembers(r *route.Request) (groups.Group, error) {
	return s.changeMembers(r, true)
}

func (s Scope) handleRemoveMembers(r *route.Request) error {
	_, err := s.changeMembers(r, false)
	return err
}

func (s Scope) changeMembers(r *route.Request, in bool) (groups.Group, error) {
	var body identitiesRequest
	if err := readBody(r, &body); err != nil {
		return groups.Group{}, err
	}
	return s.groups.ChangeMembers(r.Context(), s.viewer(), r.PathValue("url_name"), body.Identities, in)
}
