package pipelines

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

func (s *Service) handleMe(w http.ResponseWriter, r *route.Request) error {
	caller := identity.From(r)
	if err := personal(caller); err != nil {
		return err
	}
	me, err := s.me(r.Context(), caller)
	if err != nil {
		return err
	}
	return s.writeMe(w, r, me)
}

// person is what /me tells.
type person struct {
	user     identity.User
	prefs    EmailPrefs
	key      string
	projects []forge.Repository
}

func (s *Service) me(ctx context.Context, c *identity.Caller) (person, error) {
	p := person{prefs: EmailSmart}
	var err error
	if p.user, err = s.identity.User(ctx, c.UserID); err != nil {
		return p, err
	}
	prefs, err := emailPrefs(ctx, s.world.DB, c.UserID)
	if err == nil {
		p.prefs = prefs
	} else if !errors.Is(err, database.ErrNotFound) {
		return p, err
	}
	p.projects, err = s.following(ctx, c)
	return p, err
}

// following are the projects that a person follows and may still see.
func (s *Service) following(ctx context.Context, c *identity.Caller) ([]forge.Repository, error) {
	ids, err := followed(ctx, s.world.DB, c.UserID)
	if err != nil {
		return nil, err
	}
	list := make([]forge.Repository, 0, len(ids))
	for _, id := range ids {
		repo, err := s.visible(ctx, c, id)
		if err != nil {
			return nil, err
		}
		if repo.ID != 0 {
			list = append(list, repo)
		}
	}
	return list, nil
}

// branchJobWeight is the memory of a job in a list of branches, as a row and as
// text.
const branchJobWeight = 1024

func (s *Service) handleProjects(w http.ResponseWriter, r *route.Request) error {
	caller := identity.From(r)
	list, err := s.listed(r.Context(), caller)
	if err != nil {
		return err
	}
	memory, err := s.world.Memory.Take(r.Context(), r.Owner(), 0)
	if err != nil {
		return err
	}
	defer memory.Release()
	out := answer(r).Array()
	for _, repo := range list {
		view, err := s.Project(r.Context(), repo, caller.UserID)
		if err != nil {
			return err
		}
		out.Object()
		s.projectMembers(out, view, vcsA)
		if r.Query().Get("shallow") != "true" {
			jobs, err := branchJobs(r.Context(), s.world.DB, repo.ID)
			if err != nil {
				return err
			}
			if err := memory.Grow(int64(len(jobs)) * branchJobWeight); errors.Is(err, wire.ErrTooLarge) {
				return errInvalid("the projects have more jobs than one answer may list; ask with shallow=true")
			} else if err != nil {
				return err
			}
			branchesToWire(out.Key("branches"), jobs)
		}
		out.End()
	}
	return write(w, r, http.StatusOK, out.End())
}

// listed are the projects of a list: those that a person follows, or the one of
// a project token.
func (s *Service) listed(ctx context.Context, c *identity.Caller) ([]forge.Repository, error) {
	if !bound(c) {
		if err := personal(c); err != nil {
			return nil, err
		}
		return s.following(ctx, c)
	}
	repo, err := s.forge.BoundTo(ctx, c)
	if errors.Is(err, forge.ErrNotFound) || errors.Is(err, forge.ErrInvalid) {
		return nil, errProject()
	}
	if err != nil {
		return nil, err
	}
	if have, err := s.rightOf(ctx, c, repo); err != nil || have < rightRead {
		return nil, errors.Join(err, errForbidden(lacking(c, rightRead)))
	}
	return []forge.Repository{repo}, nil
}

// writeProject answers with a project and its settings.
func (s *Service) writeProject(w http.ResponseWriter, r *route.Request, repo forge.Repository, v vcs) error {
	view, err := s.Project(r.Context(), repo, identity.From(r).UserID)
	if err != nil {
		return err
	}
	out := answer(r).Object()
	s.projectMembers(out, view, v)
	s.settingsToWire(out, view)
	return write(w, r, http.StatusOK, out.End())
}

func (s *Service) handleSettings(w http.ResponseWriter, r *route.Request) error {
	repo, v, err := s.target(r, rightWrite)
	if err != nil {
		return err
	}
	return s.writeProject(w, r, repo, v)
}

func (s *Service) handleChangeSettings(w http.ResponseWriter, r *route.Request) error {
	repo, v, err := s.target(r, rightAdmin)
	if err != nil {
		return err
	}
	var in map[string]json.RawMessage
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}
	c, err := s.settingsFromWire(in)
	if err != nil {
		return err
	}
	if err := s.ChangeSettings(r.Context(), repo, c); err != nil {
		return err
	}
	return s.writeProject(w, r, repo, v)
}

func (s *Service) handleTestHook(w http.ResponseWriter, r *route.Request) error {
	repo, _, err := s.target(r, rightAdmin)
	if err != nil {
		return err
	}
	sent, err := s.TestHook(r.Context(), repo)
	if err != nil {
		return err
	}
	if sent == 0 {
		return errConflict("the project has no webhook; set webhooks with PUT settings")
	}
	return message(w, r, strconv.Itoa(sent)+" sent")
}

func (s *Service) handleFollowers(w http.ResponseWriter, r *route.Request) error {
	repo, v, err := s.target(r, rightRead)
	if err != nil {
		return err
	}
	ids, err := followers(r.Context(), s.world.DB, repo.ID)
	if err != nil {
		return err
	}
	users, err := s.identity.UsersByID(r.Context(), ids)
	if err != nil {
		return err
	}
	out := answer(r).Array()
	for _, u := range users {
		s.userToWire(out, forge.Actor{ID: u.ID, Name: u.Name}, v)
	}
	return write(w, r, http.StatusOK, out.End())
}

// handleUserRepos lists what a person could follow.
func (s *Service) handleUserRepos(w http.ResponseWriter, r *route.Request) error {
	caller := identity.From(r)
	if err := personal(caller); err != nil {
		return err
	}
	owners := []string{caller.UserName}
	orgs, err := s.identity.OrgsOf(r.Context(), caller.UserID)
	if err != nil {
		return err
	}
	for _, m := range orgs {
		owners = append(owners, m.Org.Name)
	}
	out := answer(r).Array()
	for _, owner := range owners {
		repos, err := s.forge.Repositories(r.Context(), owner)
		if err != nil {
			return fromForge(err)
		}
		for _, repo := range repos {
			have, err := s.rightOf(r.Context(), caller, repo)
			if err != nil {
				return err
			}
			if have < rightRead {
				continue
			}
			if err := s.repoToWire(r.Context(), out, repo, caller, have); err != nil {
				return err
			}
		}
	}
	return write(w, r, http.StatusOK, out.End())
}

// preferencesRequest is what a person may choose.
type preferencesRequest struct {
	Email EmailPrefs `json:"basic_email_prefs"`
}

func (s *Service) handleSavePreferences(w http.ResponseWriter, r *route.Request) error {
	caller := identity.From(r)
	if err := personal(caller); err != nil {
		return err
	}
	var in preferencesRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}
	if !slices.Contains([]EmailPrefs{EmailSmart, EmailNone, EmailAll}, in.Email) {
		return errInvalid("basic_email_prefs must be smart, none or all, not " + clip(string(in.Email)))
	}
	err := s.world.DB.Write(r.Context(), func(ctx context.Context, tx *database.Tx) error {
		return setEmailPrefs(r.Context(), tx, caller.UserID, in.Email)
	})
	if err != nil {
		return err
	}
	me, err := s.me(r.Context(), caller)
	if err != nil {
		return err
	}
	return s.writeMe(w, r, me)
}

// handleRetiredKey answers a call that the public service has retired and that
// clients still have.
func (s *Service) handleRetiredKey(http.ResponseWriter, *route.Request) error {
	return errGone("deployment keys of this kind were retired; keep the key as an environment variable of the project")
}
