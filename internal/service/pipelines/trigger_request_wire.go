package pipelines

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

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
	Config     string                     `json:"config"`
}

// readBody reads JSON, or a form as curl sends it. Clients send forms without a body and JSON without a media type, so
// the body itself decides.
func readBody(r *route.Request, into *triggerRequest) error {
	media, given, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err == nil && media == "multipart/form-data" {
		form, err := readMultipart(r, given["boundary"])
		if err != nil {
			return err
		}
		return into.fromForm(form)
	}
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
	return into.fromForm(form)
}

// fromForm reads the fields of a form.
func (q *triggerRequest) fromForm(form url.Values) error {
	q.Job, q.Branch = form.Get("job"), form.Get("branch")
	q.Revision, q.Tag = form.Get("revision"), form.Get("tag")
	if text := form.Get("parallel"); text != "" {
		q.Parallel = json.RawMessage(text)
	}
	q.Config = form.Get("config")
	q.Parameters = map[string]json.RawMessage{}
	for name, values := range form {
		if inner, ok := strings.CutPrefix(name, "parameters["); ok && strings.HasSuffix(inner, "]") && len(values) > 0 {
			if q.Pipeline == nil {
				q.Pipeline = map[string]any{}
			}
			q.Pipeline[strings.TrimSuffix(inner, "]")] = values[0]
			continue
		}
		inner, ok := strings.CutPrefix(name, "build_parameters[")
		if inner, closed := strings.CutSuffix(inner, "]"); ok && closed && len(values) > 0 {
			raw, err := json.Marshal(values[0])
			if err != nil {
				return err
			}
			q.Parameters[inner] = raw
		}
	}
	return nil
}

// maxParts bounds the fields of a form with several parts.
const maxParts = 300

// readMultipart reads the fields and files of a form as curl --form sends it. The body is bounded by the route.
func readMultipart(r *route.Request, boundary string) (url.Values, error) {
	if boundary == "" {
		return nil, errInvalid("the form has no boundary in Content-Type")
	}
	parts, form := multipart.NewReader(r.Body, boundary), url.Values{}
	for range maxParts {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) && len(form) > 0 {
			return form, nil
		}
		if err != nil {
			return nil, unreadableForm(err)
		}
		text, err := io.ReadAll(part)
		if err != nil {
			return nil, unreadableForm(err)
		}
		if part.FormName() == "" || !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
			return nil, errInvalid("a part of the form has no name, or is not text")
		}
		form.Add(part.FormName(), string(text))
	}
	return nil, errInvalid("the form has more than %d parts", maxParts)
}

// unreadableForm keeps what the platform says about a body that is too large.
func unreadableForm(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return err
	}
	return errInvalid("the form cannot be read: it ends early, or a part has no header")
}

// maxParameters bounds what a trigger may set.
const maxParameters = 200

// fromWire checks a trigger.
func (q triggerRequest) fromWire() (TriggerOptions, error) {
	o := TriggerOptions{
		Branch: q.Branch, Tag: q.Tag, Revision: q.Revision, Job: q.Job, NoCache: q.NoCache, Pipeline: q.Pipeline,
		Config:     q.Config,
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
