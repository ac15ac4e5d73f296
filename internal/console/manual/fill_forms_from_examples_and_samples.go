package manual

import (
	"cmp"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
)

var (
	// fromAnswer are words in capitals that stand for a member of an earlier answer.
	fromAnswer = regexp.MustCompile(`^[A-Z]+_[A-Z]+$`)
	variable   = regexp.MustCompile(`\$(STOA_[A-Z_]+|NOW|HOUR_AGO)\b`)
)

// hasUnknownVariable reports whether a value has variables that the page's script
// cannot fill in: it knows those of demo.env.
func hasUnknownVariable(value string) bool {
	return strings.Contains(variable.ReplaceAllString(value, ""), "$")
}

var pathParameter = regexp.MustCompile(`\\\{([^}]*)\\\}`)

// fill puts the example's values into an operation, if it calls that operation.
func (o *operation) fill(e example) bool {
	if e.method != o.Method {
		return false
	}
	pattern := "^" + pathParameter.ReplaceAllString(regexp.QuoteMeta(o.Path), "([^/]+)") + "$"
	found := regexp.MustCompile(pattern).FindStringSubmatch(e.path)
	if found == nil {
		return false
	}
	values := map[string]string{}
	for i, name := range pathParameter.FindAllStringSubmatch(regexp.QuoteMeta(o.Path), -1) {
		if value, err := url.PathUnescape(found[i+1]); err == nil {
			values["path "+name[1]] = value
		}
	}
	for name := range e.query {
		values["query "+name] = e.query.Get(name)
	}
	for i, p := range o.Parameters {
		value := values[p.In+" "+p.Name]
		if value != "" && !hasUnknownVariable(value) && !fromAnswer.MatchString(value) {
			o.Parameters[i].Value = value
		}
	}
	if body := e.body(o.Kind); body != "" && !hasUnknownVariable(body) {
		o.Body, o.known = body, true
	}
	return true
}

// sample is what the forms of one service are filled with: values for parameters
// wherever they occur, then values and bodies of single operations. A body is
// JSON, or a text where variables keep it from being so.
type sample struct {
	Parameters map[string]string            `json:"parameters"`
	Paths      map[string]map[string]string `json:"paths"`
	Queries    map[string]map[string]string `json:"queries"`
	Bodies     map[string]json.RawMessage   `json:"bodies"`
	// Answers are those that the description does not know: JSON, or what comes in words.
	Answers map[string]json.RawMessage `json:"answers"`
}

// answer fills in what the description says nothing about.
func (s sample) answer(o *operation) {
	own, ok := s.Answers[o.ID]
	for i, r := range o.Responses {
		if !ok || !strings.HasPrefix(r.Status, "2") || r.Status == "204" || r.Body != "" && r.Body != "null" {
			continue
		}
		var words string
		if json.Unmarshal(own, &words) == nil {
			o.Responses[i].Body, o.Responses[i].Description = "", words
			continue
		}
		o.Responses[i].Body = (example{data: []string{string(own)}}).body("application/json")
	}
}

// apply puts the values of the sample into an operation.
func (s sample) apply(o *operation) {
	for i, p := range o.Parameters {
		switch p.In {
		case "path":
			o.Parameters[i].Value = cmp.Or(s.Paths[o.ID][p.Name], s.Parameters[p.Name])
		case "query":
			o.Parameters[i].Value = s.Queries[o.ID][p.Name]
		}
	}
	var text string
	if json.Unmarshal(s.Bodies[o.ID], &text) != nil {
		text = (example{data: []string{string(s.Bodies[o.ID])}}).body(o.Kind)
	}
	if text != "" {
		o.Body, o.known = text, true
	}
}

// fillExamples fills the operations with what the service's page and first call
// print, or else with the sample. Operations that take the same type
// share the fullest body.
func (r *reference) fillExamples(text string, own sample) {
	calls := examples(text)
	bodies := map[string]string{}
	r.each(func(o *operation) {
		own.apply(o)
		own.answer(o)
		for _, e := range calls {
			if o.fill(e) {
				break
			}
		}
		if o.known && o.schema != "" && len(o.Body) > len(bodies[o.schema]) {
			bodies[o.schema] = o.Body
		}
	})
	r.each(func(o *operation) {
		if body := bodies[o.schema]; body != "" && !o.known {
			o.Body = body
		}
	})
}

func (r *reference) each(do func(*operation)) {
	for _, g := range r.Groups {
		for i := range g.Operations {
			do(&g.Operations[i])
		}
	}
}
