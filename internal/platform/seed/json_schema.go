package seed

import (
	"bytes"
	"encoding/json"
	"path"
	"reflect"
)

// schema is the part of JSON Schema (draft 2020-12) that describes a seed file.
type schema struct {
	Schema      string             `json:"$schema,omitempty"`
	Ref         string             `json:"$ref,omitempty"`
	ID          string             `json:"$id,omitempty"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description,omitempty"`
	Type        string             `json:"type,omitempty"`
	Format      string             `json:"format,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	// Additional is false, or the schema of every member of a map.
	Additional any `json:"additionalProperties,omitempty"`
	// Defs are the types of elements, by package and name.
	Defs map[string]*schema `json:"$defs,omitempty"`
}

// Schema describes seed files of these sections for editors. It writes docs/world.schema.json, which servers hand out:
// only the test that keeps that file true calls it.
func Schema(sections []Section) ([]byte, error) {
	root := schema{
		Schema: "https://json-schema.org/draft/2020-12/schema", ID: "https://stoa.dev/schema/world.schema.json",
		Title: "Stoa seed file", Description: "What a world begins with: stoa seed apply FILE.",
		Type: "object", Properties: map[string]*schema{}, Additional: false,
		Defs: map[string]*schema{},
	}
	for _, s := range sections {
		root.Properties[s.Name] = &schema{Type: "array", Description: s.Description + ".", Items: root.of(s.element)}
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(root)
	return out.Bytes(), err
}

// of describes a type; structs are definitions of the root, because they may hold
// elements of their own type.
func (root *schema) of(t reflect.Type) *schema {
	if t.Kind() == reflect.Pointer {
		return root.of(t.Elem())
	}
	if isTime(t) {
		return &schema{Type: "string", Format: "date-time"}
	}
	switch t.Kind() {
	case reflect.Struct:
		return root.ofStruct(t)
	case reflect.Slice:
		return &schema{Type: "array", Items: root.of(t.Elem())}
	case reflect.Map:
		return &schema{Type: "object", Additional: root.of(t.Elem())}
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.Int, reflect.Int64:
		return &schema{Type: "integer"}
	case reflect.Float64:
		return &schema{Type: "number"}
	default:
		return &schema{Type: "string"}
	}
}

func (root *schema) ofStruct(t reflect.Type) *schema {
	name := owner(t.PkgPath()) + "." + t.Name()
	ref := &schema{Ref: "#/$defs/" + name}
	if root.Defs[name] != nil {
		return ref
	}
	out := &schema{Type: "object", Properties: map[string]*schema{}, Additional: false}
	root.Defs[name] = out
	for _, f := range fieldsOf(t) {
		member := root.of(f.kind)
		member.Description, member.Enum = f.doc, f.enum
		out.Properties[f.name] = member
		if f.required {
			out.Required = append(out.Required, f.name)
		}
	}
	return ref
}

// owner is the last folder of a package's path that says whose types they are: every
// service has a seedfile.
func owner(pkg string) string {
	if path.Base(pkg) == "seedfile" {
		pkg = path.Dir(pkg)
	}
	return path.Base(pkg)
}
