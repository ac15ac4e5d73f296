package seed

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/spelling"
)

// field is one member of an element type.
type field struct {
	name, doc string
	enum      []string
	required  bool
	// inline is the member that can hold what is in the folder that this one names.
	inline string
	index  int
	kind   reflect.Type
}

// fieldsOf reads the tags of a struct type.
func fieldsOf(t reflect.Type) []field {
	var list []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		out := field{
			name: name, doc: f.Tag.Get("doc"), required: options != "omitempty" && options != "omitzero",
			inline: f.Tag.Get("folder"), index: i, kind: f.Type,
		}
		if values := f.Tag.Get("enum"); values != "" {
			out.enum = strings.Split(values, ",")
		}
		list = append(list, out)
	}
	return list
}

func isTime(t reflect.Type) bool { return t == reflect.TypeFor[time.Time]() }

// decoder fills values and remembers which folders they name.
type decoder struct{ folders []folder }

// decode fills v, which can be set, from n.
func (d *decoder) decode(n *node, v reflect.Value, path []any) *failure {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		return d.decode(n, v.Elem(), path)
	}
	switch {
	case isTime(v.Type()):
		return decodeTime(n, v, path)
	case readsItself(v):
		return n.unmarshal(v.Addr().Interface(), path)
	case v.Kind() == reflect.Struct:
		return d.decodeStruct(n, v, path)
	case v.Kind() == reflect.Slice:
		return d.decodeList(n, v, path)
	case v.Kind() == reflect.Map:
		return d.decodeMap(n, v, path)
	}
	return decodeScalar(n, v, path)
}

// readsItself reports whether a value has a form of its own, as json.RawMessage does.
func readsItself(v reflect.Value) bool {
	switch v.Addr().Interface().(type) {
	case json.Unmarshaler, encoding.TextUnmarshaler:
		return true
	}
	return false
}

func (d *decoder) decodeStruct(n *node, v reflect.Value, path []any) *failure {
	if n.kind != isObject {
		return n.failf(path, "an object is expected, not %s", n.kind)
	}
	fields := fieldsOf(v.Type())
	given := map[string]bool{}
	for _, m := range n.members {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == m.name })
		if i < 0 {
			return &failure{
				line: m.line, column: m.column, path: path,
				err: fmt.Errorf("%q is not known; %s", m.name, meant(m.name, fields)),
			}
		}
		f, inner := fields[i], append(slices.Clip(path), m.name)
		given[m.name] = true
		if err := d.decode(m.value, v.Field(f.index), inner); err != nil {
			return err
		}
		if err := d.checkField(f, m, v.Field(f.index), inner); err != nil {
			return err
		}
	}
	for _, f := range fields {
		if f.required && !given[f.name] {
			return n.failf(path, "%s is missing", f.name)
		}
	}
	return nil
}

// checkField checks a text against its values, and remembers a folder.
func (d *decoder) checkField(f field, m member, v reflect.Value, path []any) *failure {
	if v.Kind() != reflect.String {
		return nil
	}
	text := v.String()
	if len(f.enum) > 0 && !slices.Contains(f.enum, text) {
		return m.value.failf(path, "%q is not one of %s", text, strings.Join(f.enum, ", "))
	}
	if f.inline != "" {
		d.folders = append(d.folders, folder{member: m, name: text, inline: f.inline, path: path})
	}
	return nil
}

// meant is the member that a misspelt name is near to, and all that there are.
func meant(name string, fields []field) string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.name
	}
	return strings.TrimSpace(spelling.Meant(name, list) + " known are " + strings.Join(list, ", "))
}

func (d *decoder) decodeList(n *node, v reflect.Value, path []any) *failure {
	if n.kind != isList {
		return n.failf(path, "a list is expected, not %s", n.kind)
	}
	list := reflect.MakeSlice(v.Type(), len(n.list), len(n.list))
	for i, element := range n.list {
		if err := d.decode(element, list.Index(i), append(slices.Clip(path), i)); err != nil {
			return err
		}
	}
	v.Set(list)
	return nil
}

func (d *decoder) decodeMap(n *node, v reflect.Value, path []any) *failure {
	if n.kind != isObject {
		return n.failf(path, "an object is expected, not %s", n.kind)
	}
	out := reflect.MakeMapWithSize(v.Type(), len(n.members))
	for _, m := range n.members {
		value := reflect.New(v.Type().Elem()).Elem()
		if err := d.decode(m.value, value, append(slices.Clip(path), m.name)); err != nil {
			return err
		}
		out.SetMapIndex(reflect.ValueOf(m.name), value)
	}
	v.Set(out)
	return nil
}

func decodeTime(n *node, v reflect.Value, path []any) *failure {
	text, ok := n.scalar.(string)
	t, err := time.Parse(time.RFC3339Nano, text)
	if !ok || err != nil {
		return n.failf(path, "a time such as 2026-03-01T09:00:00Z is expected")
	}
	v.Set(reflect.ValueOf(t))
	return nil
}

func decodeScalar(n *node, v reflect.Value, path []any) *failure {
	switch v.Kind() {
	case reflect.String:
		text, ok := n.scalar.(string)
		if !ok && n.kind == isScalar {
			return n.failf(path, "a text is expected: put %v in quotes", n.scalar)
		}
		if !ok {
			return n.failf(path, "a text is expected, not %s", n.kind)
		}
		v.SetString(text)
	case reflect.Bool:
		yes, ok := n.scalar.(bool)
		if !ok {
			return n.failf(path, "true or false is expected")
		}
		v.SetBool(yes)
	case reflect.Int, reflect.Int64:
		whole, ok := wholeNumber(n.scalar)
		if !ok {
			return n.failf(path, "a whole number is expected")
		}
		v.SetInt(whole)
	case reflect.Float64:
		number, ok := anyNumber(n.scalar)
		if !ok {
			return n.failf(path, "a number is expected")
		}
		v.SetFloat(number)
	default:
		return n.failf(path, "the member has a type that cannot be read: %s", v.Type())
	}
	return nil
}

func wholeNumber(scalar any) (int64, bool) {
	switch n := scalar.(type) {
	case int64:
		return n, true
	case uint64:
		return int64(n), n <= math.MaxInt64
	case float64:
		return int64(n), n == math.Trunc(n) && math.Abs(n) < 1<<53
	}
	return 0, false
}

func anyNumber(scalar any) (float64, bool) {
	switch n := scalar.(type) {
	case int64:
		return float64(n), true
	case uint64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}
