package adversary

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/test/openapi/answers"
)

// Operation is one route with what its description says about its input.
type Operation struct {
	Service, Name, Method, Pattern string
	// MaxBody is the largest body that the route accepts; zero means the default
	// of its mux, a negative one no limit.
	MaxBody int64
	// Media is the media type of the body, empty when none is described.
	Media string
	// Body is the body's schema, nil when none is described.
	Body *schema
	// Query are the names of the query parameters.
	Query []string
}

// String names the operation in messages.
func (o Operation) String() string { return o.Service + " " + o.Method + " " + o.Pattern }

// TakesBody reports whether the operation's method usually carries a body.
func (o Operation) TakesBody() bool {
	return o.Body != nil || o.Method == "POST" || o.Method == "PUT" || o.Method == "PATCH"
}

// schema is the part of a JSON schema that attacks are made from.
type schema struct {
	Ref        string             `json:"$ref"`
	Type       any                `json:"type"`
	Properties map[string]*schema `json:"properties"`
	Items      *schema            `json:"items"`
	AnyOf      []*schema          `json:"anyOf"`
	AllOf      []*schema          `json:"allOf"`
}

// is reports whether the schema allows the type.
func (s *schema) is(name string) bool {
	switch t := s.Type.(type) {
	case string:
		return t == name
	case []any:
		return slices.Contains(t, any(name))
	}
	return false
}

// document is the part of an OpenAPI description that attacks are made from.
type document struct {
	Paths      map[string]map[string]json.RawMessage `json:"paths"`
	Components struct {
		Schemas map[string]*schema `json:"schemas"`
	} `json:"components"`
}

type described struct {
	Parameters []struct {
		Name string `json:"name"`
		In   string `json:"in"`
	} `json:"parameters"`
	RequestBody struct {
		Content map[string]struct {
			Schema *schema `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
}

// Operations lists the routes of the modules; folder holds one OpenAPI
// description per service. A route without a description is listed too.
func Operations(modules []module.Module, folder string) ([]Operation, error) {
	var list []Operation
	for _, m := range modules {
		doc, err := load(filepath.Join(folder, m.Name+".json"))
		if err != nil {
			return nil, err
		}
		for _, r := range m.Routes {
			method := r.Method
			if method == "" {
				method = "POST"
			}
			o := Operation{Service: m.Name, Name: r.Name, Method: method, Pattern: r.Pattern, MaxBody: r.MaxBody}
			if err := o.describe(doc); err != nil {
				return nil, fmt.Errorf("%s: %w", o, err)
			}
			list = append(list, o)
		}
	}
	return list, nil
}

func load(file string) (*document, error) {
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return &document{}, nil // the console and git have none
	}
	if err != nil {
		return nil, err
	}
	doc := &document{}
	if err := json.Unmarshal(text, doc); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return doc, nil
}

// describe adds what the document says of the operation.
func (o *Operation) describe(doc *document) error {
	raw, ok := doc.Paths[answers.Path(o.Pattern)][strings.ToLower(o.Method)]
	if !ok {
		return nil
	}
	var d described
	if err := json.Unmarshal(raw, &d); err != nil {
		return err
	}
	for _, p := range d.Parameters {
		if p.In == "query" {
			o.Query = append(o.Query, p.Name)
		}
	}
	for media, content := range d.RequestBody.Content {
		if o.Body == nil || media == "application/json" {
			o.Media, o.Body = media, doc.resolve(content.Schema, 0)
		}
	}
	return nil
}

// maxResolve is how deep members of members are looked for.
const maxResolve = 4

// resolve replaces references and joins alternatives, to a bounded depth.
func (d *document) resolve(s *schema, depth int) *schema {
	if s == nil || depth > maxResolve {
		return &schema{}
	}
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		return d.resolve(d.Components.Schemas[name], depth+1)
	}
	out := &schema{Type: s.Type, Properties: map[string]*schema{}}
	for name, p := range s.Properties {
		out.Properties[name] = d.resolve(p, depth+1)
	}
	for _, part := range append(slices.Clone(s.AnyOf), s.AllOf...) {
		whole := d.resolve(part, depth+1)
		for name, p := range whole.Properties {
			out.Properties[name] = p
		}
		if out.Type == nil {
			out.Type = whole.Type
		}
		if out.Items == nil {
			out.Items = whole.Items
		}
	}
	if s.Items != nil {
		out.Items = d.resolve(s.Items, depth+1)
	}
	return out
}
