package manual

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"

	"stoa.dev/stoa/internal/platform/module"
)

// example is one curl line that a page prints, taken apart.
type example struct {
	method, path string
	query        url.Values
	// data are the bodies in order: one JSON text, or the pairs of a form.
	data []string
}

// examples are the calls to this server that a text prints.
func examples(text string) []example {
	var out []example
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		words := shellWords(strings.TrimSpace(line))
		if len(words) == 0 || words[0] != "curl" {
			continue
		}
		if e, ok := readCurl(words[1:]); ok {
			out = append(out, e)
		}
	}
	return out
}

// readCurl understands the few options that our pages use.
func readCurl(words []string) (example, bool) {
	e := example{method: "GET"}
	asQuery, named := false, false
	for i := 0; i < len(words); i++ {
		value := ""
		if i+1 < len(words) {
			value = words[i+1]
		}
		switch word := words[i]; word {
		case "-X":
			e.method, named = value, true
			i++
		case "-d", "--data-urlencode":
			e.data = append(e.data, value)
			i++
		case "-G":
			asQuery = true
		case "-H", "-o":
			i++
		default:
			if rest, ok := strings.CutPrefix(word, "$STOA_URL/"); ok {
				path, query, _ := strings.Cut("/"+rest, "?")
				// The variable is an owner and a name.
				e.path = strings.ReplaceAll(path, "$STOA_REPO", "$STOA/$REPO")
				// A query that cannot be read is not shown.
				e.query, _ = url.ParseQuery(query)
			}
		}
	}
	if asQuery {
		more, _ := url.ParseQuery(strings.Join(e.data, "&")) // one that cannot be read is not shown
		e.query, e.data = more, nil
	}
	if len(e.data) > 0 && !named {
		e.method = "POST"
	}
	return e, e.path != ""
}

// shellWords splits a line as a shell does, as far as printed lines need it:
// quotes keep blanks, and a comment ends the line.
func shellWords(line string) []string {
	var words []string
	var word strings.Builder
	started, quote := false, rune(0)
	for _, c := range line + " " {
		switch {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, started = c, true
		case quote == 0 && c == '#' && !started:
			return words
		case quote == 0 && c == ' ':
			if started {
				words = append(words, word.String())
				word.Reset()
			}
			started = false
		default:
			word.WriteRune(c)
			started = true
		}
	}
	return words
}

// body is what the example sends, laid out for a form of that media type.
func (e example) body(kind string) string {
	if kind == "application/x-www-form-urlencoded" {
		return strings.Join(e.data, "&")
	}
	var out bytes.Buffer
	if len(e.data) != 1 || json.Indent(&out, []byte(e.data[0]), "", "  ") != nil {
		return ""
	}
	return out.String()
}

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

var (
	headerVariable = regexp.MustCompile(`"([A-Za-z-]+): (Bearer )?\$(STOA_[A-Z_]+)"`)
	queryVariable  = regexp.MustCompile(`[?&](\w+)=\$(STOA_[A-Z_]+)`)
)

// credentials are what the service's first call presents, with the variables
// of demo.env that hold it; otherwise what the description says.
func credentials(d document, e module.Example) []credential {
	scheme, ok := d.Components.Schemes["credential"]
	if !ok {
		return nil
	}
	var out []credential
	for _, found := range headerVariable.FindAllStringSubmatch(e.Shell, -1) {
		c := credential{In: "header", Name: found[1], Variable: found[3]}
		if found[2] != "" {
			c.In = "bearer"
		}
		out = append(out, c)
	}
	for _, found := range queryVariable.FindAllStringSubmatch(e.Shell, -1) {
		out = append(out, credential{In: "query", Name: found[1], Variable: found[2]})
	}
	if len(out) > 0 {
		return out
	}
	if scheme.Type == "apiKey" {
		return []credential{{In: scheme.In, Name: scheme.Name}}
	}
	return []credential{{In: "bearer", Name: "Authorization"}}
}
