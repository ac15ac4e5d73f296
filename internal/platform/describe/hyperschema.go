package describe

import (
	"encoding/json"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/route"
)

// HyperSchema describes an API as JSON Schema of draft 4 with links: a definition of
// every resource, and a link for every route.
type HyperSchema struct {
	Title, Description string
	Resources          []Resource
	// Links are what the route table does not say, by the names of routes. What is not
	// here has neither a body to send nor one to receive.
	Links map[string]Link
	// Tags are the route's tags that its link repeats.
	Tags []string
	// Null describes a member that is null in a sample.
	Null func(member string) Object
}

// Resource is one definition. The sample is written by the encoder that writes the
// real ones.
type Resource struct {
	Name, Title string
	Sample      any
}

// Link is what a route reads and answers. In is a value of the type that bodies are
// read into, and Required what they must hold.
type Link struct {
	Resource string
	In       any
	Required []string
	// List is true when the answer is an array.
	List bool
}

// Encode writes the description of the routes.
func (h HyperSchema) Encode(routes []route.Route) ([]byte, error) {
	definitions, properties := Object{}, Object{}
	links := h.links(routes)
	for _, r := range h.Resources {
		text, err := json.Marshal(r.Sample)
		if err != nil {
			return nil, err
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			return nil, err
		}
		d := h.sampleSchema("", value)
		d["title"] = r.Title
		if list := links[r.Name]; list != nil {
			d["links"] = list
		}
		definitions[r.Name] = d
		properties[r.Name] = reference(r.Name)
	}
	return json.Marshal(Object{
		"$schema": "http://json-schema.org/draft-04/hyper-schema", "title": h.Title, "type": "object",
		"description": h.Description, "definitions": definitions, "properties": properties, "links": links[""],
	})
}

func reference(name string) Object { return Object{"$ref": "#/definitions/" + name} }

// typed is a schema of some types; draft 4 lists them.
func typed(types ...string) Object { return Object{"type": types} }

// sampleSchema describes a value that an encoder wrote.
func (h HyperSchema) sampleSchema(name string, value any) Object {
	switch v := value.(type) {
	case map[string]any:
		properties, required := Object{}, []string{}
		for member, inner := range v {
			properties[member] = h.sampleSchema(member, inner)
			required = append(required, member)
		}
		slices.Sort(required)
		return Object{"type": []string{"object"}, "properties": properties, "required": required}
	case []any:
		items := Object{}
		if len(v) > 0 {
			items = h.sampleSchema("", v[0])
		}
		return Object{"type": []string{"array"}, "items": items}
	case bool:
		return typed("boolean")
	case float64:
		return typed("integer")
	case nil:
		return h.Null(name)
	}
	if strings.HasSuffix(name, "_at") {
		return Object{"type": []string{"string"}, "format": "date-time"}
	}
	return typed("string")
}

// links describes every route, by the resource that it is about.
func (h HyperSchema) links(routes []route.Route) map[string][]Object {
	out := map[string][]Object{}
	for _, r := range routes {
		l := h.Links[r.Name]
		// An address is written as contracts print it: /items/:item_id.
		href := strings.NewReplacer("{", ":", "}", "").Replace(r.Pattern)
		link := Object{"title": r.Name, "method": r.Method, "href": href, "rel": l.rel(r.Method)}
		if l.In != nil {
			body := draft4(Schema(l.In))
			if len(l.Required) > 0 {
				body["required"] = l.Required
			}
			link["schema"], link["encType"] = body, "application/json"
		}
		if l.Resource != "" {
			target := reference(l.Resource)
			if l.List {
				target = Object{"type": []string{"array"}, "items": target}
			}
			link["targetSchema"] = target
		}
		for _, tag := range h.Tags {
			if value := r.Tags[tag]; value != "" {
				link[tag] = value
			}
		}
		out[l.Resource] = append(out[l.Resource], link)
	}
	return out
}

func (l Link) rel(method string) string {
	if l.List {
		return "instances"
	}
	rels := map[string]string{"POST": "create", "PATCH": "update", "DELETE": "delete"}
	if rel, ok := rels[method]; ok {
		return rel
	}
	return "self"
}

// draft4 writes the types of a schema of Schema as draft 4 does here, as lists.
func draft4(schema Object) Object {
	out := Object{}
	for name, value := range schema {
		switch v := value.(type) {
		case string:
			out[name] = []string{v}
		case Object:
			inner := Object{}
			if name == "properties" {
				for member, s := range v {
					inner[member] = draft4(s.(Object))
				}
			} else {
				inner = draft4(v)
			}
			out[name] = inner
		}
	}
	return out
}
