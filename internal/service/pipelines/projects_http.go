package pipelines

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
	"stoa.dev/stoa/internal/service/pipelines/vcs"
)

func (s *Service) handleMe(r *route.Request, c *identity.Caller) (any, error) {
	p, err := s.Profile(r.Context(), c)
	if err != nil {
		return nil, err
	}
	return s.profileToWire(p, s.world.URL(r.Context())), nil
}

// handleProjects lists projects. A shallow list leaves out their branches.
func (s *Service) handleProjects(w http.ResponseWriter, r *route.Request) error {
	shallow := r.Query().Get("shallow") == "true"
	memory, err := s.world.Memory.Take(r.Context(), r.Owner(), 0)
	if err != nil {
		return err
	}
	defer memory.Release()
	list, err := s.ListProjects(r.Context(), identity.From(r), shallow, memory.Grow)
	if err != nil {
		return err
	}
	out, base := make([]joined, 0, len(list)), s.world.URL(r.Context())
	for _, p := range list {
		one := joined{s.projectToWire(p.View, vcs.A, base)}
		if !shallow {
			one = append(one, map[string]joined{"branches": branchesToWire(p.branches)})
		}
		out = append(out, one)
	}
	return respond(w, r, http.StatusOK, out)
}

func (s *Service) handleSettings(r *route.Request, t target) (any, error) {
	view, err := s.projects.View(r.Context(), t.repo, t.caller.UserID)
	if err != nil {
		return nil, err
	}
	return s.settingsToWire(view, t.kind, s.world.URL(r.Context())), nil
}

func (s *Service) handleChangeSettings(r *route.Request, t target) (any, error) {
	var in map[string]json.RawMessage
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return nil, err
	}
	c, err := s.settingsFromWire(in)
	if err != nil {
		return nil, err
	}
	if err := s.projects.ChangeSettings(r.Context(), t.repo, c); err != nil {
		return nil, err
	}
	return s.handleSettings(r, t)
}

func (s *Service) handleEnable(r *route.Request, t target) (any, error) {
	if err := s.projects.Enable(r.Context(), t.repo); err != nil {
		return nil, err
	}
	return s.handleSettings(r, t)
}

func (s *Service) handleDisable(r *route.Request, t target) (any, error) {
	if err := s.projects.Disable(r.Context(), t.repo); err != nil {
		return nil, err
	}
	return s.handleSettings(r, t)
}

// firstBuildJSON is the job that following a project has made.
type firstBuildJSON struct {
	FirstBuild joined `json:"first_build"`
}

func (s *Service) handleFollow(r *route.Request, t target) (any, error) {
	first, err := s.Follow(r.Context(), t)
	if err != nil {
		return nil, err
	}
	view, err := s.projects.View(r.Context(), t.repo, t.caller.UserID)
	if err != nil {
		return nil, err
	}
	followed := s.projectToWire(view, t.kind, s.world.URL(r.Context()))
	if first == nil {
		return joined{followed, map[string]any{"first_build": nil}}, nil
	}
	return joined{followed, firstBuildJSON{s.detailToWire(first)}}, nil
}

// handleUnfollow shows no settings: they hold secrets, and every reader may unfollow.
func (s *Service) handleUnfollow(r *route.Request, t target) (any, error) {
	if _, err := s.projects.Follow(r.Context(), t.repo, t.caller.UserID, false); err != nil {
		return nil, err
	}
	view, err := s.projects.View(r.Context(), t.repo, t.caller.UserID)
	if err != nil {
		return nil, err
	}
	return s.projectToWire(view, t.kind, s.world.URL(r.Context())), nil
}

type followRequest struct {
	URLs []string `json:"vcs-urls"`
}

func (s *Service) handleFollowProjects(r *route.Request, c *identity.Caller) (any, error) {
	var in followRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return nil, err
	}
	if len(in.URLs) > maxLimit {
		return nil, errInvalid("vcs-urls has at most %d members", maxLimit)
	}
	names := make([][2]string, 0, len(in.URLs))
	for _, address := range in.URLs {
		parts := strings.Split(strings.TrimSuffix(strings.TrimRight(address, "/"), ".git"), "/")
		if len(parts) < 2 {
			return nil, errInvalid("%s is not the address of a project", refusal.Quote(address))
		}
		names = append(names, [2]string{parts[len(parts)-2], parts[len(parts)-1]})
	}
	if err := s.FollowAll(r.Context(), c, names); err != nil {
		return nil, err
	}
	return messageJSON{"ok"}, nil
}

func (s *Service) handleTestHook(r *route.Request, t target) (any, error) {
	sent, err := s.TestHook(r.Context(), t.repo)
	if err != nil {
		return nil, err
	}
	return messageJSON{wire.Text(strconv.Itoa(sent) + " sent")}, nil
}

func (s *Service) handleFollowers(r *route.Request, t target) (any, error) {
	users, err := s.projects.Followers(r.Context(), t.repo)
	if err != nil {
		return nil, err
	}
	return s.followersToWire(users, t.kind), nil
}

// handleUserRepos lists what a user could follow.
func (s *Service) handleUserRepos(r *route.Request, c *identity.Caller) (any, error) {
	list, err := s.projects.Candidates(r.Context(), c)
	if err != nil {
		return nil, fromForge(err)
	}
	return s.candidatesToWire(list, s.world.URL(r.Context())), nil
}

type preferencesRequest struct {
	Email project.EmailPrefs `json:"basic_email_prefs"`
}

func (s *Service) handleSavePreferences(r *route.Request, c *identity.Caller) (any, error) {
	var in preferencesRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return nil, err
	}
	known := []project.EmailPrefs{project.EmailSmart, project.EmailNone, project.EmailAll}
	if !slices.Contains(known, in.Email) {
		return nil, errInvalid("basic_email_prefs must be smart, none or all, not %s", refusal.Quote(string(in.Email)))
	}
	if err := s.projects.SetEmailPrefs(r.Context(), c.UserID, in.Email); err != nil {
		return nil, err
	}
	return s.handleMe(r, c)
}

// handleRetiredKey answers a call that the public service has retired and that clients still have.
func (s *Service) handleRetiredKey(http.ResponseWriter, *route.Request) error {
	return errGone("deployment keys of this kind were retired; keep the key as an environment variable of the project")
}
