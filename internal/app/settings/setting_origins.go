package settings

import (
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
)

// Origin is where a value comes from.
type Origin string

// The origins, in the order in which they win.
const (
	FromDefault     Origin = "default"
	FromFile        Origin = "file"
	FromEnvironment Origin = "environment"
	FromFlag        Origin = "flag"
)

// Given is where values come from before flags are laid over them.
type Given struct {
	// File is the text of the configuration file and Environ has the form of os.Environ.
	File    []byte
	Environ []string
	// Loaded is the configuration that both make.
	Loaded any
}

// Origins says by name where each value of a configuration comes from. What differs from
// the loaded one came later: from a flag, or from what the command itself decided.
func Origins(config any, g Given) map[string]Origin {
	var tree map[string]any
	if yaml.Unmarshal(g.File, &tree) != nil {
		tree = nil // it was read before; a file that changed meanwhile says nothing
	}
	environ := map[string]bool{}
	for _, entry := range g.Environ {
		if name, value, ok := strings.Cut(entry, "="); ok && value != "" {
			environ[name] = true
		}
	}
	loaded := map[string]leaf{}
	for _, l := range leaves(g.Loaded) {
		loaded[l.path] = l
	}
	out := map[string]Origin{}
	for _, l := range leaves(config) {
		before, ok := loaded[l.path]
		switch {
		case ok && !reflect.DeepEqual(before.value.Interface(), l.value.Interface()):
			out[l.path] = FromFlag
		case environ[Variable(l.path)]:
			out[l.path] = FromEnvironment
		case inTree(tree, strings.Split(l.path, ".")):
			out[l.path] = FromFile
		default:
			out[l.path] = FromDefault
		}
	}
	return out
}

// inTree reports whether the file gives the value.
func inTree(tree map[string]any, path []string) bool {
	value, ok := tree[path[0]]
	if !ok || len(path) == 1 {
		return ok
	}
	below, ok := value.(map[string]any)
	return ok && inTree(below, path[1:])
}
