package settings

import (
	"encoding"
	"reflect"
	"strings"
)

// leaf is one settable value of the struct.
type leaf struct {
	// path is the key in the file, as in listen.http.
	path   string
	value  reflect.Value
	secret bool
	// owner is the struct that declares it, field its name there.
	owner reflect.Type
	field string
}

// leaves walks the struct in field order.
func leaves(root any) []leaf {
	var out []leaf
	walk(leaf{value: reflect.ValueOf(root).Elem()}, &out)
	return out
}

func walk(l leaf, out *[]leaf) {
	v := l.value
	if v.Kind() != reflect.Struct || isText(v) {
		*out = append(*out, l)
		return
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if !field.IsExported() || name == "-" {
			continue
		}
		below := leaf{
			path: l.path, value: v.Field(i), secret: l.secret || field.Tag.Get("secret") == "true",
			owner: v.Type(), field: field.Name,
		}
		if options == "inline" {
			walk(below, out)
			continue
		}
		if name == "" {
			name = strings.ToLower(field.Name)
		}
		below.path = strings.TrimPrefix(l.path+"."+name, ".")
		walk(below, out)
	}
}

// isText reports whether the value reads itself from text, as netip.Prefix does.
func isText(v reflect.Value) bool {
	_, ok := v.Addr().Interface().(encoding.TextUnmarshaler)
	return ok
}

// Variable is the environment name of a path.
func Variable(path string) string {
	return "STOA_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(path))
}
