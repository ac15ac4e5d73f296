package settings

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"stoa.dev/stoa/internal/platform/clock"
)

// mask stands for a secret that is set.
const mask = "********"

// Print writes config as YAML with secrets masked. With defaults given, only
// what differs from them is written.
func Print(w io.Writer, config, defaults any) error {
	var base map[string]reflect.Value
	if defaults != nil {
		base = map[string]reflect.Value{}
		for _, l := range leaves(defaults) {
			base[l.path] = l.value
		}
	}
	tree := &branch{}
	for _, l := range leaves(config) {
		if d, ok := base[l.path]; ok && same(d, l.value) {
			continue
		}
		tree.put(strings.Split(l.path, "."), printable(l))
	}
	if len(tree.items) == 0 {
		return nil
	}
	text, err := yaml.MarshalWithOptions(tree.yaml(), durations())
	if err != nil {
		return fmt.Errorf("print configuration: %w", err)
	}
	_, err = w.Write(text)
	return err
}

// durations writes those within lists and objects as FormatDuration does, too.
func durations() yaml.EncodeOption {
	return yaml.CustomMarshaler(func(d time.Duration) ([]byte, error) { return []byte(clock.FormatDuration(d)), nil })
}

// Printer prints a configuration, or only what differs from the defaults.
func Printer(config, defaults any) func(w io.Writer, changed bool) error {
	return func(w io.Writer, changed bool) error {
		if !changed {
			return Print(w, config, nil)
		}
		return Print(w, config, defaults)
	}
}

// same reports whether two values mean the same; an empty list is as good as none.
func same(a, b reflect.Value) bool {
	if (a.Kind() == reflect.Slice || a.Kind() == reflect.Map) && a.Len() == 0 && b.Len() == 0 {
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

func printable(l leaf) any {
	if l.secret && !l.value.IsZero() {
		return mask
	}
	if d, ok := l.value.Interface().(time.Duration); ok {
		return clock.FormatDuration(d)
	}
	if s, ok := l.value.Interface().(fmt.Stringer); ok {
		return s.String()
	}
	switch v := l.value.Interface().(type) {
	case string:
		return withoutPassword(v)
	case []string:
		list := make([]string, len(v))
		for i := range v {
			list[i] = withoutPassword(v[i])
		}
		return list
	default:
		return v
	}
}

// withoutPassword masks the password of an address, such as a registry's.
func withoutPassword(text string) string {
	scheme, rest, _ := strings.Cut(text, "://")
	authority, path, slash := strings.Cut(rest, "/")
	at := strings.LastIndexByte(authority, '@')
	user, _, found := strings.Cut(authority[:max(at, 0)], ":")
	if !found {
		return text
	}
	masked := scheme + "://" + user + ":" + mask + authority[at:]
	if slash {
		masked += "/" + path
	}
	return masked
}

// branch is a mapping that keeps the order in which keys were put.
type branch struct {
	items []*item
}

type item struct {
	key   string
	value any
	below *branch
}

func (b *branch) put(path []string, value any) {
	if len(path) == 1 {
		b.items = append(b.items, &item{key: path[0], value: value})
		return
	}
	for _, it := range b.items {
		if it.key == path[0] && it.below != nil {
			it.below.put(path[1:], value)
			return
		}
	}
	below := &branch{}
	below.put(path[1:], value)
	b.items = append(b.items, &item{key: path[0], below: below})
}

func (b *branch) yaml() yaml.MapSlice {
	out := make(yaml.MapSlice, 0, len(b.items))
	for _, it := range b.items {
		value := it.value
		if it.below != nil {
			value = it.below.yaml()
		}
		out = append(out, yaml.MapItem{Key: it.key, Value: value})
	}
	return out
}
