package pipelines

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

// triggerRequest is the body of every trigger. Values of parameters may be of any plain type; jobs see text.
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

// readBody reads JSON, or a form as curl sends it. Clients send forms without a body and JSON without a media type, so
// the body itself decides.
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
	into.Job, into.Branch = form.Get("job"), form.Get("branch")
	into.Revision, into.Tag = form.Get("revision"), form.Get("tag")
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

// fromWire checks a trigger.
func (q triggerRequest) fromWire() (TriggerOptions, error) {
	o := TriggerOptions{
		Branch: q.Branch, Tag: q.Tag, Revision: q.Revision, Job: q.Job, NoCache: q.NoCache, Pipeline: q.Pipeline,
		Parameters: map[string]string{},
	}
	if len(q.Parallel) > 0 && string(q.Parallel) != "null" {
		n, err := strconv.ParseInt(strings.Trim(string(q.Parallel), `"`), 10, 64)
		if err != nil {
			return o, errInvalid("parallel must be a number")
		}
		o.Parallel = n
	}
	if len(q.Parameters) > maxParameters {
		return o, errInvalid("build_parameters has at most %d members", maxParameters)
	}
	for name, raw := range q.Parameters {
		value, err := plainText(raw)
		if err != nil || !project.IsVariable(name) {
			return o, errInvalid("build_parameters must map names of variables to text, numbers or booleans; %s "+
				"does not",
				refusal.Quote(name))
		}
		o.Parameters[name] = value
	}
	return o, nil
}

// plainText is a JSON value as text.
func plainText(raw json.RawMessage) (string, error) {
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

// trigger runs the jobs that a body asks for, on a branch if one is given, and returns the first.
func (s *Service) trigger(r *route.Request, t target, branch string) (build.Build, error) {
	var in triggerRequest
	if err := readBody(r, &in); err != nil {
		return build.Build{}, err
	}
	o, err := in.fromWire()
	if err != nil {
		return build.Build{}, err
	}
	if branch != "" {
		o.Branch = branch
	}
	builds, err := s.Trigger(r.Context(), t.repo, o, t.actor(), build.WhyAPI)
	if err != nil {
		return build.Build{}, err
	}
	return builds[0], nil
}

func (s *Service) handleTriggerProject(r *route.Request, t target) (any, error) {
	b, err := s.trigger(r, t, "")
	if err != nil {
		return nil, err
	}
	return s.summaryOf(r, t, b), nil
}

func (s *Service) handleTriggerBranch(r *route.Request, t target) (any, error) {
	branch, err := branchOf(r)
	if err != nil {
		return nil, err
	}
	b, err := s.trigger(r, t, branch)
	if err != nil {
		return nil, err
	}
	return s.summaryOf(r, t, b), nil
}

// triggeredJSON is the older form of an answer, which names no job.
type triggeredJSON struct {
	Status int    `json:"status"`
	Body   string `json:"body"`
}

func (s *Service) handleTriggerBuild(r *route.Request, t target) (any, error) {
	if _, err := s.trigger(r, t, ""); err != nil {
		return nil, err
	}
	return triggeredJSON{http.StatusOK, "Build created"}, nil
}

// handleBuildAction is POST below the number of a job.
func (s *Service) handleBuildAction(r *route.Request, t target) (any, error) {
	num, err := numberOf(r)
	if err != nil {
		return nil, err
	}
	b, err := s.act(r, t, num, r.PathValue("action"))
	if err != nil {
		return nil, err
	}
	return s.summaryOf(r, t, b), nil
}

// act is the table of actions on a job.
func (s *Service) act(r *route.Request, t target, num int64, action string) (build.Build, error) {
	ctx := r.Context()
	switch action {
	case "retry":
		var in triggerRequest
		if err := readBody(r, &in); err != nil {
			return build.Build{}, err
		}
		return s.Retry(ctx, t.repo, num, t.actor(), build.WhyRetry, in.NoCache)
	case "ssh":
		return s.Retry(ctx, t.repo, num, t.actor(), build.WhySSH, false)
	case "cancel":
		return s.Cancel(ctx, t.repo, num, t.actor())
	case "approve":
		return s.Approve(ctx, t.repo, num, t.actor())
	case "ssh-users":
		if err := project.Personal(t.caller); err != nil {
			return build.Build{}, err
		}
		return s.AddSSHUser(ctx, t.repo, num, t.actor())
	}
	return build.Build{}, route.ErrNoRoute
}
