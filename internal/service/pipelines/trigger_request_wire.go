package pipelines

import (
	"encoding/json"
	"fmt"
	"mime"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
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
