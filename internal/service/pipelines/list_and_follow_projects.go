package pipelines

import (
	"context"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

// profile is what /me shows of a user.
type profile struct {
	user     identity.User
	prefs    project.EmailPrefs
	projects []forge.Repository
}

// Profile reads the user behind a token.
func (s *Service) Profile(ctx context.Context, c *identity.Caller) (p profile, err error) {
	if p.user, err = s.identity.User(ctx, c.UserID); err != nil {
		return p, err
	}
	if p.prefs, err = s.projects.EmailPrefs(ctx, c.UserID); err != nil {
		return p, err
	}
	p.projects, err = s.projects.Following(ctx, c)
	return p, err
}

func forgeActor(u identity.User) forge.Actor { return forge.Actor{ID: u.ID, Name: u.Name} }

// listedProject is a project with the jobs of its branches.
type listedProject struct {
	project.View
	branches []build.BranchJob
}

// branchJobMemory is the memory of a job in a list of branches, as a row and as text.
const branchJobMemory = 1024

// ListProjects lists the projects of a caller, with the jobs of their branches unless it is shallow. grow reserves the
// memory for them.
func (s *Service) ListProjects(
	ctx context.Context, c *identity.Caller, shallow bool, grow func(bytes int64) error,
) ([]listedProject, error) {
	repos, err := s.projects.Listed(ctx, c)
	if err != nil {
		return nil, err
	}
	list := make([]listedProject, 0, len(repos))
	for _, repo := range repos {
		one := listedProject{}
		if one.View, err = s.projects.View(ctx, repo, c.UserID); err != nil {
			return nil, err
		}
		if !shallow {
			if one.branches, err = build.ListBranches(ctx, s.world.DB, repo.ID); err != nil {
				return nil, err
			}
			if err := grow(int64(len(one.branches)) * branchJobMemory); errors.Is(err, wire.ErrTooLarge) {
				return nil, errInvalid("the projects have more jobs than one answer may list; ask with shallow=true")
			} else if err != nil {
				return nil, fmt.Errorf("memory of branches: %w", err)
			}
		}
		list = append(list, one)
	}
	return list, nil
}

// Follow makes a user follow a project, and builds it when it never was. The first job is nil when there is none.
func (s *Service) Follow(ctx context.Context, t target) (first *job, err error) {
	fresh, err := s.projects.Follow(ctx, t.repo, t.caller.UserID, true)
	if err != nil || !fresh {
		return nil, err
	}
	builds, err := s.Trigger(ctx, t.repo, TriggerOptions{}, t.actor(), build.WhyFirst)
	switch {
	case refusal.Has(err, refusal.Busy), err != nil && !refusal.Has(err):
		return nil, err
	case err != nil, len(builds) == 0:
		return nil, nil // an empty repository has nothing to build yet
	}
	j, err := readJob(ctx, s.world.DB, t.repo, builds[0])
	j.kind, j.base = t.kind, s.world.URL(ctx)
	j.readBy(t.caller)
	return &j, err
}

// FollowAll makes a user follow projects, each named by the last two segments of its address.
func (s *Service) FollowAll(ctx context.Context, c *identity.Caller, addresses [][2]string) error {
	for _, a := range addresses {
		repo, err := s.projects.Find(ctx, c, a[0], a[1], project.RightRead)
		if err != nil {
			return err
		}
		if _, err := s.Follow(ctx, target{repo: repo, caller: c}); err != nil {
			return err
		}
	}
	return nil
}
