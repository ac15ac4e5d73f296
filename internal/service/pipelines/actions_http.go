package pipelines

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// triggerRequest is the body of every trigger. Values of parameters may be of
// any plain type; jobs see text.
type triggerRequest struct {
	Job        string                     `json:"job"`
	Branch     string                     `json:"branch"`
	Revision   string                     `json:"revision"`
	Tag        string                     `json:"tag"`
	Parallel   json.RawMessage            `json:"parallel"`
	Parameters map[string]json.RawMessage `json:"build_parameters"`
	Pipeline   map[string]any             `json:"parameters"`
	NoCache    bool                       `json:"no_dependency_cache"`
}

// readBody reads JSON, or a form as curl sends it. Clients send forms without a
// body and JSON without a media type, so the body itself decides.
func readBody(r *route.Request, into *triggerRequest) error {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/x-www-form-urlencoded" {
		return wire.ReadJSON(r.Request, into, wire.AllowEmpty())
	}
	form, err := wire.ReadForm(r.Request)
	if err != nil {
		return err
	}
	// curl -d '{…}' says that it sends a form, too.
	for name := range form {
		if strings.HasPrefix(strings.TrimSpace(name), "{") {
			return wire.DecodeJSON([]byte(name), into)
		}
	}
	into.Job, into.Branch, into.Revision, into.Tag = form.Get("job"), form.Get("branch"), form.Get("revision"), form.Get("tag")
	if text := form.Get("parallel"); text != "" {
		into.Parallel = json.RawMessage(text)
	}
	into.Parameters = map[string]json.RawMessage{}
	for name, values := range form {
		inner, ok := strings.CutPrefix(name, "build_parameters[")
		if inner, closed := strings.CutSuffix(inner, "]"); ok && closed && len(values) > 0 {
			raw, err := json.Marshal(values[0])
			if err != nil {
				return err
			}
			into.Parameters[inner] = raw
		}
	}
	return nil
}

// maxParameters bounds what a trigger may set.
const maxParameters = 200

// fromWire checks a trigger and turns it into a wish.
func (q triggerRequest) fromWire() (Wish, error) {
	w := Wish{Branch: q.Branch, Tag: q.Tag, Revision: q.Revision, Job: q.Job, NoCache: q.NoCache, Pipeline: q.Pipeline, Parameters: map[string]string{}}
	if len(q.Parallel) > 0 && string(q.Parallel) != "null" {
		n, err := strconv.ParseInt(strings.Trim(string(q.Parallel), `"`), 10, 64)
		if err != nil {
			return w, errInvalid("parallel must be a number")
		}
		w.Parallel = n
	}
	if len(q.Parameters) > maxParameters {
		return w, errInvalid("build_parameters has at most 200 members")
	}
	for name, raw := range q.Parameters {
		value, err := plain(raw)
		if err != nil || !isVariable(name) {
			return w, errInvalid("build_parameters must map names of variables to text, numbers or booleans; " + clip(name) + " does not")
		}
		w.Parameters[name] = value
	}
	return w, nil
}

// plain is a JSON value as text.
func plain(raw json.RawMessage) (string, error) {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return "", err
	}
	switch v := v.(type) {
	case string:
		return v, nil
	case nil:
		return "", nil
	case bool, float64:
		return string(raw), nil
	}
	return "", fmt.Errorf("a value of type %T", v)
}

// trigger does what all trigger calls have in common.
func (s *Service) trigger(r *route.Request, repo forge.Repository, branch string, why Why) ([]Build, error) {
	var in triggerRequest
	if err := readBody(r, &in); err != nil {
		return nil, err
	}
	wish, err := in.fromWire()
	if err != nil {
		return nil, err
	}
	if branch != "" {
		wish.Branch = branch
	}
	return s.Trigger(r.Context(), repo, wish, forge.ActorOf(identity.From(r)), why)
}

func (s *Service) handleTriggerProject(w http.ResponseWriter, r *route.Request) error {
	repo, v, err := s.target(r, rightWrite)
	if err != nil {
		return err
	}
	builds, err := s.trigger(r, repo, "", WhyAPI)
	if err != nil {
		return err
	}
	return s.writeSummary(w, r, http.StatusCreated, repo, v, builds[0])
}

func (s *Service) handleTriggerBranch(w http.ResponseWriter, r *route.Request) error {
	repo, v, err := s.target(r, rightWrite)
	if err != nil {
		return err
	}
	branch := cleanBranch(r.PathValue("branch"))
	if branch == "" {
		return errNotFound("Branch")
	}
	builds, err := s.trigger(r, repo, branch, WhyAPI)
	if err != nil {
		return err
	}
	return s.writeSummary(w, r, http.StatusCreated, repo, v, builds[0])
}

// handleTriggerBuild answers in the older form, which names no job.
func (s *Service) handleTriggerBuild(w http.ResponseWriter, r *route.Request) error {
	repo, _, err := s.targetOf(r, rightWrite)
	if err != nil {
		return err
	}
	if _, err := s.trigger(r, repo, "", WhyAPI); err != nil {
		return err
	}
	return write(w, r, http.StatusOK, answer(r).Object().Key("status").Int(http.StatusOK).Key("body").Text("Build created").End())
}

// handleBuildAction is POST below the number of a job.
func (s *Service) handleBuildAction(w http.ResponseWriter, r *route.Request) error {
	action := r.PathValue("action")
	repo, v, err := s.target(r, rightWrite)
	if err != nil {
		return err
	}
	num, err := number(r.PathValue("build_num"))
	if err != nil {
		return err
	}
	b, err := s.act(r, repo, num, action)
	if err != nil {
		return err
	}
	return s.writeSummary(w, r, http.StatusOK, repo, v, b)
}

// act is the table of actions on a job.
func (s *Service) act(r *route.Request, repo forge.Repository, num int64, action string) (Build, error) {
	caller := identity.From(r)
	actor := forge.ActorOf(caller)
	switch action {
	case "retry":
		var in triggerRequest
		if err := readBody(r, &in); err != nil {
			return Build{}, err
		}
		return s.Retry(r.Context(), repo, num, actor, WhyRetry, in.NoCache)
	case "ssh":
		return s.Retry(r.Context(), repo, num, actor, WhySSH, false)
	case "cancel":
		return s.Cancel(r.Context(), repo, num, actor)
	case "approve":
		return s.Approve(r.Context(), repo, num, actor)
	case "ssh-users":
		if err := personal(caller); err != nil {
			return Build{}, err
		}
		return s.AddSSHUser(r.Context(), repo, num, actor)
	}
	return Build{}, route.ErrNoRoute
}

func (s *Service) handleFollow(w http.ResponseWriter, r *route.Request) error {
	repo, v, err := s.targetOf(r, rightRead)
	if err != nil {
		return err
	}
	caller := identity.From(r)
	first, err := s.Follow(r.Context(), repo, forge.ActorOf(caller), true)
	if err != nil {
		return err
	}
	view, err := s.Project(r.Context(), repo, caller.UserID)
	if err != nil {
		return err
	}
	out := answer(r).Object()
	s.projectMembers(out, view, v)
	if first == nil {
		out.Key("first_build").Null()
	} else {
		j, err := s.fullJob(r.Context(), s.world.DB, repo, *first)
		if err != nil {
			return err
		}
		j.vcs = v
		s.detailToWire(out.Key("first_build"), j)
	}
	return write(w, r, http.StatusOK, out.End())
}

func (s *Service) handleUnfollow(w http.ResponseWriter, r *route.Request) error {
	repo, v, err := s.targetOf(r, rightRead)
	if err != nil {
		return err
	}
	caller := identity.From(r)
	if _, err := s.Follow(r.Context(), repo, forge.ActorOf(caller), false); err != nil {
		return err
	}
	view, err := s.Project(r.Context(), repo, caller.UserID)
	if err != nil {
		return err
	}
	// Settings hold secrets, and whoever may read may unfollow.
	out := answer(r).Object()
	s.projectMembers(out, view, v)
	return write(w, r, http.StatusOK, out.End())
}

// followRequest is the body of following many.
type followRequest struct {
	URLs []string `json:"vcs-urls"`
}

func (s *Service) handleFollowProjects(w http.ResponseWriter, r *route.Request) error {
	caller := identity.From(r)
	if err := personal(caller); err != nil {
		return err
	}
	var in followRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}
	if len(in.URLs) > mostLimit {
		return errInvalid("vcs-urls has at most 100 members")
	}
	for _, address := range in.URLs {
		parts := strings.Split(strings.TrimSuffix(strings.TrimRight(address, "/"), ".git"), "/")
		if len(parts) < 2 {
			return errInvalid(clip(address) + " is not the address of a project")
		}
		repo, err := s.find(r.Context(), caller, parts[len(parts)-2], parts[len(parts)-1], rightRead)
		if err != nil {
			return err
		}
		if _, err := s.Follow(r.Context(), repo, forge.ActorOf(caller), true); err != nil {
			return err
		}
	}
	return message(w, r, "ok")
}

func (s *Service) handleEnable(w http.ResponseWriter, r *route.Request) error {
	repo, v, err := s.target(r, rightAdmin)
	if err != nil {
		return err
	}
	if err := s.Enable(r.Context(), repo, true); err != nil {
		return err
	}
	keys, err := s.CheckoutKeys(r.Context(), repo)
	if err == nil && len(keys) == 0 {
		_, err = s.CreateCheckoutKey(r.Context(), repo, DeployKey, "")
	}
	if err != nil {
		return err
	}
	return s.writeProject(w, r, repo, v)
}

func (s *Service) handleDisable(w http.ResponseWriter, r *route.Request) error {
	repo, v, err := s.target(r, rightAdmin)
	if err != nil {
		return err
	}
	if err := s.Enable(r.Context(), repo, false); err != nil {
		return err
	}
	return s.writeProject(w, r, repo, v)
}

// isOwn tells a refusal of ours from a failure.
func isOwn(err error) bool {
	var own *Error
	return errors.As(err, &own)
}
