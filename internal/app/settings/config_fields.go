package settings

import (
	"encoding"
	"fmt"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
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

// set parses text into the value. Lists are separated by commas.
func (l leaf) set(text string) error {
	if l.value.Kind() == reflect.Slice {
		return l.setList(text)
	}
	return setScalar(l.value, text)
}

func (l leaf) setList(text string) error {
	list := reflect.MakeSlice(l.value.Type(), 0, 4)
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		item := reflect.New(l.value.Type().Elem()).Elem()
		if err := setScalar(item, part); err != nil {
			return err
		}
		list = reflect.Append(list, item)
	}
	l.value.Set(list)
	return nil
}

func setScalar(v reflect.Value, text string) error {
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		err := u.UnmarshalText([]byte(text))
		if err != nil && v.Type() == reflect.TypeFor[netip.Prefix]() {
			return fmt.Errorf("%q is not a range of addresses, as in 10.0.0.0/8 or 10.1.2.3/32", text)
		}
		return err
	}
	if v.Type() == reflect.TypeFor[time.Duration]() {
		d, err := clock.ParseDuration(text)
		if err != nil {
			return err
		}
		v.SetInt(int64(d))
		return nil
	}
	return setBasic(v, text)
}

func setBasic(v reflect.Value, text string) error {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is not true or false", text)
		}
		v.SetBool(b)
	case reflect.Int, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, v.Type().Bits())
		if err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
		v.SetInt(n)
	case reflect.Float64:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("%q is not a number", text)
		}
		v.SetFloat(f)
	default:
		return fmt.Errorf("cannot be set from the environment; use the configuration file")
	}
	return nil
}
