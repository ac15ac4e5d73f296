package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/faultrule"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// settingsJSON are settings as an object, read by the world.
type settingsJSON struct{ json.RawMessage }

// statusJSON is a number or a text such as "4xx".
type statusJSON struct{ json.RawMessage }

// readSome decodes a body that must not be empty. What does not fit is refused with the member,
// what it must be and what came.
func readSome(r *route.Request, into any) error {
	var body json.RawMessage
	if err := wire.ReadJSON(r.Request, &body); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return err
	}
	if err := checkType("", value, reflect.TypeOf(into).Elem()); err != nil {
		return err
	}
	return wire.DecodeJSON(body, into, wire.DisallowUnknown())
}

// read is readSome where an empty body is an empty object.
func read(r *route.Request, into any) error {
	if err := readSome(r, into); !errors.Is(err, wire.ErrEmptyBody) {
		return err
	}
	return nil
}

// scalar is what a member of a type must be.
type scalar struct {
	wanted string
	fits   func(value any) bool
}

// ownTypes are those whose JSON form their kind does not tell.
func ownTypes() map[reflect.Type]scalar {
	aDuration := scalar{`a duration as text such as "1h", "90s" or "7d"`, func(v any) bool {
		text, ok := v.(string)
		_, err := clock.ParseDuration(text)
		return ok && err == nil
	}}
	isText := func(v any) bool { _, ok := v.(string); return ok }
	isObject := func(v any) bool { _, ok := v.(map[string]any); return ok }
	return map[reflect.Type]scalar{
		reflect.TypeFor[duration]():           aDuration,
		reflect.TypeFor[faultrule.Duration](): aDuration,
		reflect.TypeFor[time.Time](): {`a time as text such as "2026-03-01T09:00:00Z"`, func(v any) bool {
			text, ok := v.(string)
			_, err := time.Parse(time.RFC3339, text)
			return ok && err == nil
		}},
		reflect.TypeFor[clock.Mode]():          {`"real", "frozen" or "running"`, isText},
		reflect.TypeFor[faultrule.ClockName](): {`"real" or "world"`, isText},
		reflect.TypeFor[settingsJSON](): {
			`an object of settings as in the YAML file, such as {"http":{"log_level":"debug"}}`, isObject,
		},
		reflect.TypeFor[statusJSON](): {`a status such as 404 or a class such as "4xx"`, func(v any) bool {
			_, number := v.(json.Number)
			return number || isText(v)
		}},
		reflect.TypeFor[json.RawMessage](): {"any value", func(any) bool { return true }},
	}
}

// checkType compares a JSON value with the type that it is to be decoded into.
func checkType(path string, value any, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if value == nil && path != "" {
		return nil // null is a member that is left out
	}
	if own, ok := ownTypes()[t]; ok {
		return fits(path, value, own)
	}
	switch t.Kind() {
	case reflect.Struct:
		return checkMembers(path, value, t)
	case reflect.Map:
		members, ok := value.(map[string]any)
		if !ok {
			return mismatch(path, "an object", value)
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if err := checkType(below(path, name), members[name], t.Elem()); err != nil {
				return err
			}
		}
		return nil
	case reflect.Interface:
		return nil
	}
	return fits(path, value, kindOf(t))
}

// checkMembers does so for an object of known members.
func checkMembers(path string, value any, t reflect.Type) error {
	known, names := map[string]reflect.Type{}, []string{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		known[strings.ToLower(name)] = t.Field(i).Type
		names = append(names, name)
	}
	members, ok := value.(map[string]any)
	if !ok && len(names) == 0 {
		return mismatch(path, "an empty object, {}", value)
	}
	if !ok {
		return mismatch(path, "an object of "+strings.Join(names, ", "), value)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		member, ok := known[strings.ToLower(name)]
		if !ok {
			message := wire.Clip(below(path, name), maxShown) + " is not a known member"
			if len(names) > 0 {
				message += "; known are " + strings.Join(names, ", ")
			}
			return &lab.Error{Code: lab.CodeInvalid, Message: message, Next: seeMembers}
		}
		if err := checkType(below(path, name), members[name], member); err != nil {
			return err
		}
	}
	return nil
}

// kindOf is what a plain type takes.
func kindOf(t reflect.Type) scalar {
	fit := func(v any) bool {
		text, err := json.Marshal(v)
		return err == nil && json.Unmarshal(text, reflect.New(t).Interface()) == nil
	}
	switch t.Kind() {
	case reflect.String:
		return scalar{`text such as "name"`, fit}
	case reflect.Bool:
		return scalar{"true or false", fit}
	case reflect.Float32, reflect.Float64:
		return scalar{"a number such as 0.5", fit}
	case reflect.Uint, reflect.Uint64:
		return scalar{"a whole number such as 7, not below 0", fit}
	}
	return scalar{"a whole number such as 3", fit}
}

func fits(path string, value any, s scalar) error {
	if s.fits(value) {
		return nil
	}
	return mismatch(path, s.wanted, value)
}

// below is the path of a member.
func below(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// seeMembers is the next step of a body that does not fit.
const seeMembers = "docs/lab.md and docs/faults.md list the members"

// maxShown is how much a refusal repeats of what came.
const maxShown = 100

// mismatch names the member, what it must be and what came.
func mismatch(path, wanted string, value any) error {
	if path == "" {
		path = "the body"
	}
	return &lab.Error{
		Code: lab.CodeInvalid, Next: seeMembers,
		Message: wire.Clip(path, maxShown) + " must be " + wanted + ", not " + shownValue(value),
	}
}

// shownValue is a value as a refusal repeats it.
func shownValue(value any) string {
	switch v := value.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		return strconv.Quote(wire.Clip(v, maxShown))
	case json.Number:
		return wire.Clip(v.String(), maxShown)
	case bool:
		return strconv.FormatBool(v)
	}
	return "null"
}
