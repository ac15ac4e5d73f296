package settings

import (
	"fmt"
	"reflect"
)

// Entry is one value of a configuration, with secrets masked.
type Entry struct {
	Path, Variable, Value, Default string
	// Changed means that it differs from the default.
	Changed bool
}

// List is every value of a configuration, in the order of its fields.
func List(config, defaults any) []Entry {
	base := map[string]leaf{}
	for _, l := range leaves(defaults) {
		base[l.path] = l
	}
	var list []Entry
	for _, l := range leaves(config) {
		e := Entry{Path: l.path, Variable: Variable(l.path), Value: shownText(l)}
		if d, ok := base[l.path]; ok {
			e.Default = shownText(d)
			e.Changed = !reflect.DeepEqual(d.value.Interface(), l.value.Interface())
		}
		list = append(list, e)
	}
	return list
}

func shownText(l leaf) string {
	text := fmt.Sprint(printable(l))
	if text == "[]" || text == "map[]" || text == "<nil>" {
		return ""
	}
	return text
}
