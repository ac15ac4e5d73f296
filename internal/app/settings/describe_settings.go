package settings

import (
	"encoding"
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
)

// Setting describes one settable value.
type Setting struct {
	// Name is the key in the file, as in listen.http.
	Name string `json:"name"`
	// Variable is the environment variable, as in STOA_LISTEN_HTTP.
	Variable string `json:"variable"`
	// Type is what kind of value it takes, in words.
	Type string `json:"type"`
	// Value is what it holds, as the file writes it; secrets are masked.
	Value string `json:"value"`
	// FileOnly settings cannot be given as a variable.
	FileOnly bool `json:"file_only,omitempty"`
	// Owner is the struct that declares it and Field the name there.
	Owner reflect.Type `json:"-"`
	Field string       `json:"-"`
}

// Describe lists the settings of a struct in the order of its fields.
func Describe(config any) []Setting {
	out := make([]Setting, 0, 64)
	for _, l := range leaves(config) {
		out = append(out, Setting{
			Name: l.path, Variable: Variable(l.path), Type: typeWords(l.value.Type()), Value: written(l),
			FileOnly: fileOnly(l.value.Type()), Owner: l.owner, Field: l.field,
		})
	}
	return out
}

// typeWords says what a value of the type looks like.
func typeWords(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[time.Duration]():
		return "duration"
	case reflect.TypeFor[netip.Prefix]():
		return "address range"
	}
	switch t.Kind() {
	case reflect.Slice:
		return "list of " + plural(typeWords(t.Elem()))
	case reflect.Map:
		return "object"
	case reflect.Struct:
		if readsText(t) {
			return strings.ToLower(t.Name())
		}
		return "object"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "number"
	case reflect.String:
		return "text"
	}
	return "whole number"
}

func plural(words string) string {
	if words == "text" {
		return "texts"
	}
	return words + "s"
}

// readsText reports whether values of the type read themselves from text.
func readsText(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// fileOnly reports whether a value of the type cannot be written in one variable.
func fileOnly(t reflect.Type) bool {
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t.Kind() == reflect.Map || t.Kind() == reflect.Struct && !readsText(t)
}

// written is the value as one line of the file.
func written(l leaf) string {
	value := printable(l)
	if v := reflect.ValueOf(value); v.Kind() == reflect.String {
		return v.String()
	}
	text, err := yaml.MarshalWithOptions(value, yaml.Flow(true), durations())
	if err != nil {
		return fmt.Sprint(value)
	}
	return strings.TrimSpace(string(text))
}
