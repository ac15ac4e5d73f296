package main

import (
	"errors"
	"fmt"
	"go/types"
	"reflect"
	"strings"
)

// object is a JSON object; encoding/json sorts its members.
type object = map[string]any

// schemas turns Go types into JSON schemas by the rules of encoding/json. Named
// structs become components.
type schemas struct {
	components object
	names      map[string]string // type to component
	// untagged are fields without the name of a member: their type is not one of the wire.
	untagged []string
}

func newSchemas() *schemas { return &schemas{components: object{}, names: map[string]string{}} }

// check refuses members that are called as Go fields are.
func (s *schemas) check() error {
	if len(s.untagged) == 0 {
		return nil
	}
	return errors.New(strings.Join(s.untagged, "\n"))
}

func (s *schemas) of(t types.Type) object {
	if known, ok := s.special(t); ok {
		return known
	}
	switch under := t.Underlying().(type) {
	case *types.Pointer:
		return s.of(under.Elem())
	case *types.Basic:
		return basic(under)
	case *types.Slice:
		return s.list(under.Elem())
	case *types.Array:
		return s.list(under.Elem())
	case *types.Map:
		return object{"type": "object", "additionalProperties": s.of(under.Elem())}
	case *types.Struct:
		return s.structure(t, under)
	}
	return object{}
}

func (s *schemas) list(element types.Type) object {
	if b, ok := element.Underlying().(*types.Basic); ok && b.Kind() == types.Byte {
		return object{"type": "string", "contentEncoding": "base64"}
	}
	return object{"type": "array", "items": s.of(element)}
}

// special are types whose JSON form is not that of their structure.
func (s *schemas) special(t types.Type) (object, bool) {
	named, ok := t.(*types.Named)
	if !ok {
		return nil, false
	}
	switch name := named.Obj().Name(); {
	case t.String() == "time.Time":
		return object{"type": "string", "format": "date-time"}, true
	case t.String() == "encoding/json.RawMessage":
		return object{}, true
	case name == "Optional" && named.TypeArgs().Len() == 1:
		value := s.of(named.TypeArgs().At(0))
		return object{"anyOf": []object{value, {"type": "null"}}}, true
	}
	for _, method := range []string{"MarshalJSON", "UnmarshalJSON"} {
		if m, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, named.Obj().Pkg(), method); m != nil {
			if b, ok := t.Underlying().(*types.Basic); ok && method == "MarshalJSON" && b.Kind() == types.String {
				return basic(b), true // the method chooses escapes, or null for an empty text
			}
			return object{}, true
		}
	}
	for _, method := range []string{"MarshalText", "UnmarshalText"} {
		if m, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, named.Obj().Pkg(), method); m != nil {
			return object{"type": "string"}, true
		}
	}
	return nil, false
}

func basic(b *types.Basic) object {
	switch info := b.Info(); {
	case info&types.IsBoolean != 0:
		return object{"type": "boolean"}
	case info&types.IsInteger != 0:
		return object{"type": "integer"}
	case info&types.IsFloat != 0:
		return object{"type": "number"}
	case info&types.IsString != 0:
		return object{"type": "string"}
	}
	return object{}
}

// structure is a reference to a component for a named struct, the properties
// themselves for an unnamed one.
func (s *schemas) structure(t types.Type, under *types.Struct) object {
	named, ok := t.(*types.Named)
	if !ok {
		return s.properties(under)
	}
	name, known := s.names[t.String()]
	if !known {
		name = s.component(named)
		s.names[t.String()] = name
		s.components[name] = object{} // a type may hold itself
		s.components[name] = s.properties(under)
	}
	return object{"$ref": "#/components/schemas/" + name}
}

// component is the name of a type without the words that say where it is used.
func (s *schemas) component(named *types.Named) string {
	name := named.Obj().Name()
	if short := strings.TrimSuffix(name, "JSON"); short != "" {
		name = short
	}
	name = strings.ToUpper(name[:1]) + name[1:]
	for i := range named.TypeArgs().Len() {
		if argument, ok := named.TypeArgs().At(i).(*types.Named); ok {
			name += "Of" + s.component(argument)
		}
	}
	unique := name
	for n := 2; s.components[unique] != nil; n++ {
		unique = fmt.Sprintf("%s%d", name, n)
	}
	return unique
}

func (s *schemas) properties(under *types.Struct) object {
	properties, required := object{}, []string{}
	s.fields(under, properties, &required)
	out := object{"type": "object", "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// fields adds the fields of a struct and of those embedded in it. A member
// without omitempty is always there.
func (s *schemas) fields(under *types.Struct, properties object, required *[]string) {
	for i := range under.NumFields() {
		field := under.Field(i)
		name, options, _ := strings.Cut(reflect.StructTag(under.Tag(i)).Get("json"), ",")
		if name == "-" {
			continue
		}
		if field.Embedded() && name == "" {
			if inner, ok := deref(field.Type()).Underlying().(*types.Struct); ok {
				s.fields(inner, properties, required)
				continue
			}
		}
		if !field.Exported() {
			continue
		}
		if name == "" {
			name = field.Name()
			s.untagged = append(s.untagged, field.Pkg().Name()+": the field "+name+" has no JSON tag")
		}
		if isOtherSpelling(name, properties) {
			continue
		}
		schema := s.of(field.Type())
		if strings.Contains(options, "string") {
			schema = object{"type": "string"}
		}
		properties[name] = schema
		if _, optional := schema["anyOf"]; !optional && !strings.Contains(options, "omit") {
			*required = append(*required, name)
			if _, pointer := field.Type().(*types.Pointer); pointer && len(schema) > 0 {
				properties[name] = object{"anyOf": []object{schema, {"type": "null"}}} // null where there is none
			}
		}
	}
}

// isInternal tells a struct of which no field says what it is called in JSON: a type of the
// domain, which is turned into another before it is sent.
func isInternal(t types.Type) bool {
	if list, ok := t.Underlying().(*types.Slice); ok {
		t = list.Elem()
	}
	named, ok := deref(t).(*types.Named)
	if !ok {
		return false
	}
	if _, special := newSchemas().special(named); special {
		return false
	}
	under, ok := named.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	exported := false
	for i := range under.NumFields() {
		if _, tagged := reflect.StructTag(under.Tag(i)).Lookup("json"); tagged || under.Field(i).Embedded() {
			return false
		}
		exported = exported || under.Field(i).Exported()
	}
	return exported
}

// isOtherSpelling reports whether the name is a member before it in the spelling of
// protocol buffers, which is read as well and need not be written twice.
func isOtherSpelling(name string, properties object) bool {
	var camel strings.Builder
	for i, word := range strings.Split(name, "_") {
		if i > 0 && word != "" {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		camel.WriteString(word)
	}
	_, there := properties[camel.String()]
	return there && camel.String() != name
}

func deref(t types.Type) types.Type {
	if p, ok := t.(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}
