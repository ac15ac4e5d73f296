package events

import (
	"errors"
	"net/http"
	"strconv"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/access"
	"stoa.dev/stoa/internal/service/events/discussions"
	"stoa.dev/stoa/internal/service/events/objects"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// pathRepository is the repository of a path, and what the caller may do with it.
// newPath is where one that was renamed is found now.
func (s *Service) pathRepository(
	r *route.Request, newPath func(forge.Repository) string,
) (forge.Repository, forge.Permission, error) {
	location := func(moved forge.Repository) string { return s.base(r) + newPath(moved) + rawQuery(r) }
	repo, may, moved, err := s.access.Find(r.Context(), identity.From(r), r.PathValue("owner"), r.PathValue("repo"))
	if err == nil && moved {
		err = errMoved(location(repo))
	}
	return repo, may, err
}

// plainRepository is pathRepository for addresses that end with the repository.
func (s *Service) plainRepository(r *route.Request) (forge.Repository, forge.Permission, error) {
	return s.pathRepository(r, func(moved forge.Repository) string { return repositoryPath(moved.ID) })
}

// requireRepository is plainRepository for callers who need a permission and the
// token's scope.
func (s *Service) requireRepository(
	r *route.Request, need forge.Permission, scope string,
) (forge.Repository, forge.Actor, error) {
	caller := identity.From(r)
	repo, may, err := s.plainRepository(r)
	if err != nil {
		return repo, forge.Actor{}, err
	}
	if !caller.HasScope(scope) {
		return repo, forge.Actor{}, errMissingPermission(permissionWord(scope))
	}
	if may < need {
		return repo, forge.Actor{}, errForbidden("Must have %s rights to Repository.", need)
	}
	return repo, forge.ActorOf(caller), nil
}

// repositoryByID is the repository of a path that names it by number.
func (s *Service) repositoryByID(r *route.Request) (forge.Repository, forge.Permission, error) {
	id, err := strconv.ParseUint(r.PathValue("id"), 10, 63)
	if err != nil {
		return forge.Repository{}, forge.None, errNotFound()
	}
	return s.access.Repository(r.Context(), identity.From(r), int64(id))
}

func (s *Service) handleRepo(r *route.Request) (reply, error) {
	repo, may, err := s.plainRepository(r)
	if err != nil {
		return reply{}, err
	}
	out, err := s.fullRepo(r, repo, may)
	return reply{body: out}, err
}

func (s *Service) handleRepoByID(r *route.Request) (reply, error) {
	repo, may, err := s.repositoryByID(r)
	if err != nil {
		return reply{}, err
	}
	out, err := s.fullRepo(r, repo, may)
	return reply{body: out}, err
}

func (s *Service) handleCreateRepo(w http.ResponseWriter, r *route.Request) error {
	return s.createRepo(w, r, "")
}

func (s *Service) handleCreateOrgRepo(w http.ResponseWriter, r *route.Request) error {
	return s.createRepo(w, r, r.PathValue("org"))
}

func (s *Service) createRepo(w http.ResponseWriter, r *route.Request, org string) error {
	var in createRepoRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}
	repo, err := s.access.Create(r.Context(), identity.From(r), org, forge.NewRepository{
		Name: in.Name, Description: in.Description, Private: in.Private,
	})
	if err != nil {
		return err
	}
	w.Header().Set("Location", s.base(r)+"/repos/"+repo.FullName())
	return s.writeRepo(w, r, http.StatusCreated, repo)
}

func (s *Service) handleUpdateRepo(w http.ResponseWriter, r *route.Request) error {
	var in updateRepoRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}
	repo, actor, err := s.requireRepository(r, forge.Admin, forge.ScopeAdministration)
	if err != nil {
		return err
	}
	change := forge.Change{Name: in.Name, Description: in.Description, Private: in.Private}
	repo, err = s.forge.Update(r.Context(), repo.ID, change, actor)
	if err != nil {
		return fromForge(err)
	}
	return s.writeRepo(w, r, http.StatusOK, repo)
}

func (s *Service) handleDeleteRepo(w http.ResponseWriter, r *route.Request) error {
	repo, actor, err := s.requireRepository(r, forge.Admin, forge.ScopeAdministration)
	if err != nil {
		return err
	}
	if err := s.forge.Delete(r.Context(), repo.ID, actor); err != nil {
		return fromForge(err)
	}
	wire.NoContent(w, http.StatusNoContent)
	return nil
}

func (s *Service) handleForkRepo(w http.ResponseWriter, r *route.Request) error {
	var in forkRepoRequest
	if err := wire.ReadJSON(r.Request, &in, wire.AllowEmpty()); err != nil {
		return err
	}
	repo, actor, err := s.requireRepository(r, forge.Read, forge.ScopeAdministration)
	if err != nil {
		return err
	}
	if access.UserOf(identity.From(r)) == 0 {
		return refusal.UserOnly(forge.ScopeAdministration)
	}
	owner := in.Organization
	if owner == "" {
		owner = actor.Name
	} else if _, err := s.access.OwnedOrg(r.Context(), actor.ID, owner); err != nil {
		return err
	}
	fork, err := s.forge.Fork(r.Context(), repo.ID, owner, in.Name, actor)
	if err != nil {
		return fromForge(err)
	}
	return s.writeRepo(w, r, http.StatusAccepted, fork)
}

// writeRepo answers a change with the repository as it is now.
func (s *Service) writeRepo(w http.ResponseWriter, r *route.Request, status int, repo forge.Repository) error {
	may, err := s.access.Of(r.Context(), identity.From(r), repo)
	var hidden *Error
	if err != nil && !errors.As(err, &hidden) {
		return err // a token that may make but not see is answered all the same
	}
	out, err := s.fullRepo(r, repo, may)
	if err != nil {
		return err
	}
	return s.writeJSON(w, r, status, out)
}

// fullRepo is a repository alone, with what it was forked from as far as the caller
// may see that.
func (s *Service) fullRepo(r *route.Request, repo forge.Repository, may forge.Permission) (objects.FullRepo, error) {
	ctx, base := r.Context(), s.base(r)
	out := objects.FullRepo{Repo: objects.NewRepo(repo, base)}
	numbers, err := s.forge.NumbersOf(ctx, []forge.Repository{repo})
	if err != nil {
		return out, err
	}
	open, err := discussions.OpenCounts(ctx, s.world.DB, []forge.Repository{repo})
	if err != nil {
		return out, err
	}
	n := numbers[repo.ID]
	out.SetNumbers(n, open[repo.ID])
	out.NetworkCount, out.SubscribersCount = max(0, n.Network-1), n.Subscribers
	if r.Caller != nil {
		permissions := objects.NewPermissions(may)
		out.Permissions = &permissions
	}
	if repo.Owner.Kind == forge.OwnerOrg {
		out.Organization = &out.Owner
	}
	size, err := s.forge.Size(repo)
	if err != nil {
		return out, err
	}
	out.Size = size >> 10
	if repo.ParentID == 0 {
		return out, nil
	}
	if out.Parent, err = s.ancestor(r, repo.ParentID); err != nil {
		return out, err
	}
	out.Source, err = s.ancestor(r, repo.NetworkID)
	return out, err
}

// ancestor is what a fork comes from, or nothing when the caller may not see it.
func (s *Service) ancestor(r *route.Request, id int64) (*objects.Repo, error) {
	from, _, ok, err := s.access.Ancestor(r.Context(), identity.From(r), id)
	if err != nil || !ok {
		return nil, err
	}
	out := objects.NewRepo(from, s.base(r))
	return &out, nil
}
