package manual

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/module"
)

// reference is a service's operations, ready to be shown and tried.
type reference struct {
	Service, Title, Page, File string
	// Credentials are what a call presents, none for a service that wants none.
	Credentials []credential
	Example     string
	Groups      []group
}

// credential says how one is presented: bearer, header or query, the name of
// the header or parameter, and the variable of demo.env that holds one.
type credential struct{ In, Name, Variable string }

type group struct {
	Title      string
	Operations []operation
}

type operation struct {
	ID, Method, Path, Summary, Description string
	// Secured operations need a credential.
	Secured    bool
	Scopes     []string
	Parameters []parameter
	// Kind is the media type of the body, empty when there is none; Body is one
	// to begin with.
	Kind, Body string
	Responses  []response
	// Faults are the failures that a test can ask for by name.
	Faults []fault

	// schema is the name of the body's type; known bodies come from a page.
	schema string
	known  bool
}

type parameter struct {
	Name, In, Description string
	Required              bool
	// Value is one to begin with.
	Value string `json:"-"`
}

type fault struct {
	Name, Description string
	// Status is that of the answer.
	Status int
}

type response struct {
	Status, Description, Body string
}

// document is the part of an OpenAPI description that is shown.
type document struct {
	Paths      map[string]map[string]documentOperation `json:"paths"`
	Components struct {
		Schemas map[string]schema `json:"schemas"`
		Schemes map[string]struct {
			Type, In, Name string
		} `json:"securitySchemes"`
	} `json:"components"`
}

type documentOperation struct {
	ID          string                `json:"operationId"`
	Summary     string                `json:"summary"`
	Description string                `json:"description"`
	Tags        []string              `json:"tags"`
	Security    []map[string][]string `json:"security"`
	Parameters  []parameter           `json:"parameters"`
	RequestBody documentBody          `json:"requestBody"`
	Responses   map[string]struct {
		Description string `json:"description"`
		documentBody
	} `json:"responses"`
}

type documentBody struct {
	Content map[string]struct {
		Schema schema `json:"schema"`
	} `json:"content"`
}

type schema struct {
	Ref        string            `json:"$ref"`
	Type       string            `json:"type"`
	Format     string            `json:"format"`
	Properties map[string]schema `json:"properties"`
	Items      *schema           `json:"items"`
	AnyOf      []schema          `json:"anyOf"`
}

// reference reads a service's description.
func (m *Manual) reference(s module.Module) (reference, error) {
	file := "openapi/" + s.Name + ".json"
	text, err := fs.ReadFile(m.files, file)
	if err != nil {
		return reference{}, err
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return reference{}, fmt.Errorf("%s: %w", file, err)
	}
	out := reference{Service: s.Name, Title: s.Title, File: "/docs/" + file, Example: s.Example.Shell}
	if m.has("services/" + s.Name + ".md") {
		out.Page = "/docs/services/" + s.Name
	}
	out.Credentials = credentials(d, s.Example)
	groups := map[string][]operation{}
	for path, item := range d.Paths {
		for method, o := range item {
			title := "operations"
			if len(o.Tags) > 0 {
				title = o.Tags[0]
			}
			groups[title] = append(groups[title], d.operation(strings.ToUpper(method), path, o))
		}
	}
	for _, title := range slices.Sorted(maps.Keys(groups)) {
		slices.SortFunc(groups[title], func(a, b operation) int {
			return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Method, b.Method))
		})
		out.Groups = append(out.Groups, group{Title: title, Operations: groups[title]})
	}
	for i := range out.Groups {
		for j := range out.Groups[i].Operations {
			out.Groups[i].Operations[j].Faults = faultsOf(s.Faults, out.Groups[i].Operations[j].ID)
		}
	}
	printed, err := m.printed(s.Name)
	if err != nil {
		return reference{}, err
	}
	out.fillExamples(printed+"\n"+s.Example.Shell, m.templates().samples[s.Name])
	return out, nil
}

// printed is the text of a service's pages; one without a page has its first call only.
func (m *Manual) printed(service string) (string, error) {
	more, err := fs.Glob(m.files, "services/"+service+"-*.md")
	if err != nil {
		return "", err
	}
	text := ""
	for _, name := range append([]string{"services/" + service + ".md"}, more...) {
		page, err := fs.ReadFile(m.files, name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		text += string(page) + "\n"
	}
	return text, nil
}

// numbered is the end of the id of an operation that has a second address.
var numbered = regexp.MustCompile(`\.[0-9]+$`)

// faultsOf are the named failures that a rule of the lab can cause in an operation.
func faultsOf(all []module.Fault, operation string) []fault {
	var out []fault
	name := numbered.ReplaceAllString(operation, "")
	for _, f := range all {
		if len(f.Operations) == 0 || slices.Contains(f.Operations, name) {
			out = append(out, fault{Name: f.Name, Status: f.Status, Description: f.Description})
		}
	}
	return out
}

func (d document) operation(method, path string, o documentOperation) operation {
	out := operation{
		ID: o.ID, Method: method, Path: path, Summary: o.Summary, Description: o.Description, Parameters: o.Parameters,
	}
	for _, s := range o.Security {
		if scopes, ok := s["credential"]; ok {
			out.Secured, out.Scopes = true, scopes
		}
	}
	if kind, ok := shownKind(o.RequestBody.Content); ok {
		content := o.RequestBody.Content[kind]
		out.Kind, out.schema = kind, content.Schema.Ref
		out.Body = d.sample(content.Schema, kind)
	}
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		described := o.Responses[status]
		r := response{Status: status, Description: described.Description}
		if kind, ok := shownKind(described.Content); ok {
			r.Body = d.answerSample(described.Content[kind].Schema, kind)
		}
		out.Responses = append(out.Responses, r)
	}
	return out
}

// shownKind is the form of a body that is shown: JSON where there is a choice.
func shownKind[T any](content map[string]T) (string, bool) {
	const json = "application/json"
	if _, ok := content[json]; ok || len(content) == 0 {
		return json, ok
	}
	return slices.Min(slices.Collect(maps.Keys(content))), true
}

// answerSample is sample for what the server sends: no text of it is empty.
func (d document) answerSample(s schema, kind string) string {
	return strings.ReplaceAll(d.sample(s, kind), `""`, `"text"`)
}

// sample is a body that has the schema's shape.
func (d document) sample(s schema, kind string) string {
	if kind == "application/x-www-form-urlencoded" {
		names := slices.Sorted(maps.Keys(s.Properties))
		for i, name := range names {
			names[i] = name + "="
		}
		return strings.Join(names, "&")
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	// What value makes always encodes.
	_ = encoder.Encode(d.value(s, 0))
	return strings.TrimSpace(out.String())
}

// maxNesting keeps types that hold themselves from filling the page.
const maxNesting = 4

func (d document) value(s schema, depth int) any {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		if depth > maxNesting {
			return map[string]any{}
		}
		return d.value(d.Components.Schemas[name], depth+1)
	}
	if len(s.AnyOf) > 0 {
		return d.value(s.AnyOf[0], depth)
	}
	switch s.Type {
	case "object":
		out := map[string]any{}
		for name, property := range s.Properties {
			out[name] = d.value(property, depth+1)
		}
		return out
	case "array":
		if s.Items == nil || depth > maxNesting {
			return []any{}
		}
		return []any{d.value(*s.Items, depth+1)}
	case "integer", "number":
		return 0
	case "boolean":
		return false
	case "string":
		if s.Format == "date-time" {
			return "2030-01-01T00:00:00Z"
		}
		return ""
	}
	return nil
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
