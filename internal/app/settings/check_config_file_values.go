package settings

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// explain says which keys of the file are unknown or have no value and which values have
// the wrong type, by key and line and in the words of the file instead of the program's;
// nil when it finds none.
func explain(config any, name string, text []byte, tree map[string]any) error {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil
	}
	all := leaves(config)
	keys := keysOf(all)
	var bad []error
	for _, found := range keys.wrong(tree, "") {
		bad = append(bad, fmt.Errorf("%s%s: %s", name, line(file, found.path), found.why))
	}
	for _, l := range all {
		value, ok := at(tree, strings.Split(l.path, "."))
		if !ok || value == nil {
			continue
		}
		if wrong := l.wrong(value); wrong != "" {
			bad = append(bad, fmt.Errorf("%s%s: %s", name, line(file, l.path), wrong))
		}
	}
	return errors.Join(bad...)
}

// at is the value under the keys.
func at(tree map[string]any, keys []string) (any, bool) {
	value, ok := tree[keys[0]]
	if !ok || len(keys) == 1 {
		return value, ok
	}
	below, ok := value.(map[string]any)
	if !ok {
		return nil, false
	}
	return at(below, keys[1:])
}

// line is ":N" for the line of a key, empty when it cannot be told.
func line(file *ast.File, path string) string {
	found, err := yaml.PathString("$." + path)
	if err != nil {
		return ""
	}
	node, err := found.FilterFile(file)
	if err != nil || node.GetToken() == nil {
		return ""
	}
	return ":" + strconv.Itoa(node.GetToken().Position.Line)
}

// wrong says why the leaf cannot hold the value, empty when it can.
func (l leaf) wrong(value any) string {
	items, list := value.([]any)
	if l.value.Kind() != reflect.Slice {
		if list {
			return l.path + " must be one value, not a list"
		}
		items = []any{value}
	} else if !list {
		return fmt.Sprintf("%s must be a list, as [a, b], not %q", l.path, fmt.Sprint(value))
	}
	of := l.value.Type()
	if of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	// Structs and maps in lists are left to the decoder.
	probe := reflect.New(of).Elem()
	if !isText(probe) && (of.Kind() == reflect.Struct || of.Kind() == reflect.Map || of.Kind() == reflect.String) {
		return ""
	}
	for _, item := range items {
		if err := setScalar(probe, fmt.Sprint(item)); err != nil {
			return mustBe(l.path, probe, fmt.Sprint(item), err)
		}
	}
	return ""
}

// mustBe is the sentence about a value that could not be read.
func mustBe(path string, v reflect.Value, text string, err error) string {
	if v.Type() == reflect.TypeFor[time.Duration]() {
		return fmt.Sprintf("%s %v", path, err)
	}
	switch v.Kind() {
	case reflect.Bool:
		return fmt.Sprintf("%s must be true or false, not %q", path, text)
	case reflect.Int, reflect.Int32, reflect.Int64:
		return fmt.Sprintf("%s must be a whole number, not %q", path, text)
	case reflect.Float64:
		return fmt.Sprintf("%s must be a number, not %q", path, text)
	}
	return fmt.Sprintf("%s: %v", path, err)
}
