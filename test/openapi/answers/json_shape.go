package answers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Shape is what is known of a JSON value. Without types it may be anything.
type Shape struct {
	Types Types `json:"type,omitempty"`
	// Members are those of an object, Required the ones that are always there.
	Members  map[string]*Shape `json:"properties,omitempty"`
	Required []string          `json:"required,omitempty"`
	// Items are the elements of a list, nil when none was seen.
	Items *Shape `json:"items,omitempty"`
	// Values are the members of an object whose names are data.
	Values *Shape `json:"additionalProperties,omitempty"`

	// Ref and AnyOf occur in descriptions only.
	Ref   string   `json:"$ref,omitempty"`
	AnyOf []*Shape `json:"anyOf,omitempty"`
}

// Types are the words of JSON schema, sorted. One alone is written without
// brackets.
type Types []string

// MarshalJSON writes one type as a word.
func (t Types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// UnmarshalJSON reads a word or a list of them.
func (t *Types) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		*t = Types{""}
		return json.Unmarshal(text, &(*t)[0])
	}
	return json.Unmarshal(text, (*[]string)(t))
}

// Of is the shape of a JSON text.
func Of(text []byte) (*Shape, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON value")
	}
	return of(value), nil
}

// OfEvents is the shape that all data of a text/event-stream share, open when it
// carries no JSON.
func OfEvents(text []byte) *Shape {
	var out *Shape
	for line := range strings.Lines(string(text)) {
		data, ok := strings.CutPrefix(line, "data:")
		if !ok {
			continue
		}
		if s, err := Of([]byte(data)); err == nil {
			out = Merge(out, s)
		}
	}
	if out == nil {
		return &Shape{}
	}
	return out
}

func of(value any) *Shape {
	switch v := value.(type) {
	case nil:
		return &Shape{Types: Types{"null"}}
	case bool:
		return &Shape{Types: Types{"boolean"}}
	case string:
		return &Shape{Types: Types{"string"}}
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return &Shape{Types: Types{"number"}}
		}
		return &Shape{Types: Types{"integer"}}
	case []any:
		out := &Shape{Types: Types{"array"}}
		for _, element := range v {
			out.Items = Merge(out.Items, of(element))
		}
		return out
	case map[string]any:
		if _, ok := v["$schema"]; ok { // a document that describes itself
			return &Shape{Types: Types{"object"}}
		}
		out := &Shape{Types: Types{"object"}, Members: map[string]*Shape{}}
		for name, member := range v {
			out.Members[name] = ofMember(name, of(member))
		}
		out.Required = slices.Sorted(maps.Keys(v))
		return out.named()
	}
	return &Shape{}
}

// ofMember cuts what the caller, not the contract, decides: names of objects
// that no rule can tell from members, and bodies of any kind.
func ofMember(name string, s *Shape) *Shape {
	switch name {
	case "build_parameters":
		s.tabled()
	case "payload", "args", "response":
		if slices.Contains(s.Types, "object") {
			return &Shape{Types: s.Types}
		}
	}
	return s
}

// manyNames is how many members an object of a contract can have; one with more
// is a table.
const manyNames = 200

// memberName is what contracts call a member: words, not ids, dates or media
// types.
var memberName = regexp.MustCompile(`^[@$]?[A-Za-z_][A-Za-z_.-]*([0-9]{1,3}[A-Za-z_.-]*){0,2}$`)

// named turns an object whose names are data into a table of values.
func (s *Shape) named() *Shape {
	data := len(s.Members) > manyNames
	for name := range s.Members {
		data = data || !memberName.MatchString(name)
	}
	if data {
		s.tabled()
	}
	return s
}

func (s *Shape) tabled() {
	for _, name := range slices.Sorted(maps.Keys(s.Members)) {
		s.Values = Merge(s.Values, s.Members[name])
	}
	s.Members, s.Required = nil, nil
}

// Merge is the shape of values of which some have one shape and some the other.
// It changes neither.
func Merge(a, b *Shape) *Shape {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	out := &Shape{
		Types: mergeTypes(a.Types, b.Types), Items: Merge(a.Items, b.Items), Values: Merge(a.Values, b.Values),
	}
	if a.Members == nil && b.Members == nil {
		return out
	}
	out.Members = map[string]*Shape{}
	for _, s := range []*Shape{a, b} {
		for name, member := range s.Members {
			out.Members[name] = Merge(out.Members[name], member)
		}
	}
	out.Required = mergeRequired(a, b)
	if out.Values != nil {
		out.tabled()
	}
	return out.named()
}

// mergeRequired are the members of which neither side knows an object without
// it.
func mergeRequired(a, b *Shape) []string {
	switch {
	case !slices.Contains(a.Types, "object"):
		return b.Required
	case !slices.Contains(b.Types, "object"):
		return a.Required
	}
	var out []string
	for _, name := range a.Required {
		if slices.Contains(b.Required, name) {
			out = append(out, name)
		}
	}
	return out
}

func mergeTypes(a, b Types) Types {
	out := slices.Concat(a, b)
	slices.Sort(out)
	out = slices.Compact(out)
	if slices.Contains(out, "number") {
		out = slices.DeleteFunc(out, func(t string) bool { return t == "integer" })
	}
	return out
}

// Says reports whether the shape says anything.
func (s *Shape) Says() bool { return !s.open() || s != nil && s.Ref != "" }
