package settings

import (
	"maps"
	"slices"
	"strings"
)

// keys are the paths that a file may have.
type keys struct {
	leaves, sections map[string]bool
	// names are all of them, for suggestions.
	names []string
}

func keysOf(all []leaf) keys {
	k := keys{leaves: map[string]bool{}, sections: map[string]bool{}}
	for _, l := range all {
		k.leaves[l.path] = true
		for at := strings.LastIndex(l.path, "."); at > 0; at = strings.LastIndex(l.path[:at], ".") {
			k.sections[l.path[:at]] = true
		}
	}
	k.names = slices.Concat(slices.Sorted(maps.Keys(k.leaves)), slices.Sorted(maps.Keys(k.sections)))
	return k
}

// wrongKey is a key that cannot stay, and why.
type wrongKey struct{ path, why string }

// wrong finds the keys below a section that are unknown or have no value: an empty section
// would silently reset everything below it.
func (k keys) wrong(tree map[string]any, section string) (found []wrongKey) {
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		path := section + key
		below, isSection := tree[key].(map[string]any)
		switch {
		case !k.leaves[path] && !k.sections[path]:
			found = append(found, wrongKey{path, path + " is not a setting" + k.suggestion(path)})
		case tree[key] == nil:
			found = append(found, wrongKey{path, path + " has no value; give it one or remove the line"})
		case k.leaves[path]:
		case !isSection:
			found = append(found, wrongKey{path, path + " is a section: its settings stand below it, each on a line"})
		default:
			found = append(found, k.wrong(below, path+".")...)
		}
	}
	return found
}

// suggestion is the setting that was meant: one with nearly the same path, or else the one
// of the same name in another section. Below a known section it is nearly the same name, or
// else whatever the section has.
func (k keys) suggestion(path string) string {
	if at := strings.LastIndex(path, "."); at > 0 && k.sections[path[:at]] {
		return k.suggestionWithin(path[:at+1], path[at+1:])
	}
	near := Near(path, k.names)
	name := path[strings.LastIndex(path, ".")+1:]
	for _, candidate := range k.names {
		if near == "" && strings.HasSuffix(candidate, "."+name) {
			near = candidate
		}
	}
	if near == "" {
		return "; stoa config explain lists them"
	}
	return "; did you mean " + near + "?"
}

// maxNamed is how many settings of a section a refusal lists.
const maxNamed = 12

func (k keys) suggestionWithin(section, name string) string {
	var names []string
	for _, candidate := range k.names {
		if inner, ok := strings.CutPrefix(candidate, section); ok && !strings.Contains(inner, ".") {
			names = append(names, inner)
		}
	}
	if near, distance := Nearest(name, names); distance <= max(1, len(name)/3) {
		return "; did you mean " + section + near + "?"
	}
	for _, candidate := range k.names {
		if strings.HasSuffix(candidate, "."+name) {
			return "; did you mean " + candidate + "?"
		}
	}
	if len(names) > maxNamed {
		return "; stoa config explain " + strings.TrimSuffix(section, ".") + " lists them"
	}
	slices.Sort(names)
	return "; " + strings.TrimSuffix(section, ".") + " has " + strings.Join(names, ", ")
}
