package events

import (
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/objects"
)

func (s *Service) memberRoutes() []route.Route {
	const repo = "/repos/{owner}/{repo}"
	const collaborator = repo + "/collaborators/{username}"
	return []route.Route{
		s.reads(repo+"/collaborators", "list_collaborators", route.Optional, s.handleCollaborators),
		s.reads(collaborator, "check_collaborator", route.Optional, s.handleIsCollaborator),
		s.reads(collaborator+"/permission", "get_permission", route.Optional, s.handlePermission),
		s.reads(repo+"/assignees", "list_assignees", route.Optional, s.handleAssignees),
	}
}

// collaborators are those of a repository whom the caller may ask about: that takes
// the right to push.
func (s *Service) collaborators(r *route.Request, rest string) (forge.Repository, []forge.Member, error) {
	repo, may, err := s.pathRepository(r, func(moved forge.Repository) string {
		return "/repos/" + moved.FullName() + rest
	})
	if err != nil {
		return repo, nil, err
	}
	if r.Caller == nil {
		return repo, nil, route.ErrNoCredential
	}
	if may < forge.Write {
		return repo, nil, errForbidden("Must have push access to view repository collaborators.")
	}
	list, err := s.forge.Collaborators(r.Context(), repo)
	return repo, list, err
}

func (s *Service) handleCollaborators(r *route.Request) (reply, error) {
	_, all, err := s.collaborators(r, "/collaborators")
	if err != nil {
		return reply{}, err
	}
	at := listPage(r)
	out, err := s.collaboratorsToWire(r, cut(all, at))
	return s.listReply(r, out, at, int64(len(all))), err
}

func (s *Service) collaboratorsToWire(r *route.Request, list []forge.Member) ([]objects.Collaborator, error) {
	ids := make([]int64, 0, len(list))
	may := map[int64]forge.Permission{}
	for _, m := range list {
		ids = append(ids, m.UserID)
		may[m.UserID] = m.Permission
	}
	users, err := s.access.UsersInOrder(r.Context(), ids)
	out := make([]objects.Collaborator, 0, len(users))
	for _, u := range users {
		out = append(out, objects.Collaborator{
			User:        objects.NewUser(u.ID, u.Name, "User", s.base(r)),
			Permissions: objects.NewPermissions(may[u.ID]), RoleName: may[u.ID].String(),
		})
	}
	return out, err
}

// collaborator is the one that a path names.
func (s *Service) collaborator(r *route.Request, rest string) (objects.Collaborator, error) {
	name := r.PathValue("username")
	_, all, err := s.collaborators(r, "/collaborators/"+name+rest)
	if err != nil {
		return objects.Collaborator{}, err
	}
	list, err := s.collaboratorsToWire(r, all)
	if err != nil {
		return objects.Collaborator{}, err
	}
	for _, c := range list {
		if strings.EqualFold(c.Login, name) {
			return c, nil
		}
	}
	return objects.Collaborator{}, errNotFound()
}

// handleIsCollaborator is 204 for a collaborator, else 404.
func (s *Service) handleIsCollaborator(r *route.Request) (reply, error) {
	_, err := s.collaborator(r, "")
	return reply{empty: true}, err
}

func (s *Service) handlePermission(r *route.Request) (reply, error) {
	c, err := s.collaborator(r, "/permission")
	return reply{body: objects.Permission{Permission: c.RoleName, RoleName: c.RoleName, User: c}}, err
}

// handleAssignees are the collaborators who may push, for callers who may.
func (s *Service) handleAssignees(r *route.Request) (reply, error) {
	repo, may, err := s.pathRepository(r, func(moved forge.Repository) string {
		return "/repos/" + moved.FullName() + "/assignees"
	})
	if err != nil {
		return reply{}, err
	}
	var all []forge.Member
	if may >= forge.Write {
		if all, err = s.forge.Collaborators(r.Context(), repo); err != nil {
			return reply{}, err
		}
	}
	var ids []int64
	for _, m := range all {
		if m.Permission >= forge.Write {
			ids = append(ids, m.UserID)
		}
	}
	at := listPage(r)
	users, err := s.access.UsersInOrder(r.Context(), cut(ids, at))
	return s.listReply(r, objects.NewUsers(users, s.base(r)), at, int64(len(ids))), err
}

func (s *Service) handleAddCollaborator(w http.ResponseWriter, r *route.Request) error {
	in := collaboratorRequest{Permission: "push"}
	if err := wire.ReadJSON(r.Request, &in, wire.AllowEmpty()); err != nil {
		return err
	}
	repo, actor, err := s.requireRepository(r, forge.Admin, forge.ScopeAdministration)
	if err != nil {
		return err
	}
	member, err := s.forge.UserActor(r.Context(), r.PathValue("username"))
	if err != nil {
		return fromForge(err)
	}
	permission, err := in.fromWire()
	if err != nil {
		return err
	}
	if _, err := s.forge.SetMember(r.Context(), repo.ID, member, permission, actor); err != nil {
		return fromForge(err)
	}
	wire.NoContent(w, http.StatusNoContent)
	return nil
}

func (s *Service) handleRemoveCollaborator(w http.ResponseWriter, r *route.Request) error {
	repo, _, err := s.requireRepository(r, forge.Admin, forge.ScopeAdministration)
	if err != nil {
		return err
	}
	member, err := s.forge.UserActor(r.Context(), r.PathValue("username"))
	if err != nil {
		return fromForge(err)
	}
	if err := s.forge.RemoveMember(r.Context(), repo.ID, member.ID); err != nil {
		return fromForge(err)
	}
	wire.NoContent(w, http.StatusNoContent)
	return nil
}
