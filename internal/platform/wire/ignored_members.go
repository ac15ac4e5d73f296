package wire

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/wire/typefacts"
)

// Reader is a body that is told the type it was decoded into.
type Reader interface {
	Decoded(t reflect.Type)
}

// Note tells the body of a request the type that it was decoded into, where it was
// not decoded by ReadJSON.
func Note(body any, dst any) {
	if r, ok := body.(Reader); ok {
		r.Decoded(reflect.TypeOf(dst))
	}
}

// maxUnread bounds how many members Unread names.
const maxUnread = 100

// Unread names the members of a JSON text that decoding it into a type ignores, as
// JSON pointers (RFC 6901). Types that decode themselves read everything.
func Unread(t reflect.Type, text []byte) []string {
	var value any
	if json.Unmarshal(text, &value) != nil {
		return nil
	}
	var found []string
	unread(t, value, "", &found)
	slices.Sort(found)
	return found
}

func unread(t reflect.Type, value any, at string, found *[]string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if inner, ok := optionalValue(t); ok {
		unread(inner, value, at, found)
		return
	}
	if decodesItself(t) || len(*found) >= maxUnread {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		switch t.Kind() {
		case reflect.Map:
			for name, member := range v {
				unread(t.Elem(), member, at+"/"+escape(name), found)
			}
		case reflect.Struct:
			fields := map[string]reflect.Type{}
			members(t, fields)
			for name, member := range v {
				field, ok := fields[strings.ToLower(name)]
				if !ok {
					*found = append(*found, at+"/"+escape(name))
					continue
				}
				unread(field, member, at+"/"+escape(name), found)
			}
		}
	case []any:
		if t.Kind() != reflect.Slice && t.Kind() != reflect.Array {
			return
		}
		for i, element := range v {
			unread(t.Elem(), element, at+"/"+strconv.Itoa(i), found)
		}
	}
}

func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// optionalValue is the type of what an Optional holds.
func optionalValue(t reflect.Type) (reflect.Type, bool) {
	if t.Kind() != reflect.Struct || !strings.HasPrefix(t.Name(), "Optional[") ||
		t.PkgPath() != reflect.TypeFor[settings]().PkgPath() {
		return nil, false
	}
	f, ok := t.FieldByName("Value")
	return f.Type, ok
}

func decodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return t.Kind() == reflect.Interface || p.Implements(reflect.TypeFor[json.Unmarshaler]())
}

// members are the fields of a struct as encoding/json finds them, which does not
// mind upper and lower case.
func members(t reflect.Type, into map[string]reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case name == "-" && f.Tag.Get("json") == "-":
		case f.Anonymous && name == "" && inner.Kind() == reflect.Struct:
			members(inner, into)
		case !f.IsExported():
		case name == "":
			into[strings.ToLower(f.Name)] = f.Type
		default:
			into[strings.ToLower(name)] = f.Type
		}
	}
}

// optionalHolders remembers which types can hold an Optional. Immutable but for what
// it remembers, which is the same for every world.
var optionalHolders = typefacts.NewHolder(func(t reflect.Type) bool {
	_, ok := optionalValue(t)
	return ok
})

// dotted writes a JSON pointer as the other refusals write paths: points[0].x.
func dotted(pointer string) string {
	var b strings.Builder
	for i, step := range strings.Split(pointer, "/")[1:] {
		if _, err := strconv.Atoi(step); err == nil && i > 0 {
			b.WriteString("[" + step + "]")
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
	}
	return b.String()
}
