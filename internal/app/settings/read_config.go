package settings

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// ReadFile decodes YAML text over the values config already holds. An unknown
// key, a duplicate key or a wrong type is an error that shows the line.
func ReadFile(config any, name string, text []byte) error {
	var tree map[string]any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		return fmt.Errorf("%s: %s", name, yaml.FormatError(err, false, true))
	}
	if len(tree) == 0 {
		return nil
	}
	// An empty section would silently reset everything below it.
	if path := emptyKey(tree, ""); path != "" {
		return fmt.Errorf("%s: %s has no value; give it one or remove the line", name, path)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict(), yaml.DisallowUnknownField())
	if err := decoder.Decode(config); err != nil {
		if explained := explain(config, name, text, tree); explained != nil {
			return explained
		}
		return fmt.Errorf("%s: %s", name, yaml.FormatError(err, false, true))
	}
	return nil
}

// emptyKey is the path of the first key, in sorted order, that has no value.
func emptyKey(tree map[string]any, path string) string {
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		switch value := tree[key].(type) {
		case nil:
			return path + key
		case map[string]any:
			if found := emptyKey(value, path+key+"."); found != "" {
				return found
			}
		}
	}
	return ""
}

// ReadEnvironment sets every value whose variable is present in environ, which has
// the form of os.Environ. An empty variable is as good as none. One that looks like
// a setting and is none is refused, unless it is reserved: the program has written it
// for others. All that is bad is reported together.
func ReadEnvironment(config any, environ, reserved []string) error {
	given := make(map[string]string, len(environ))
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok && value != "" && strings.HasPrefix(name, "STOA_") {
			given[name] = value
		}
	}
	var bad []error
	all := leaves(config)
	for _, l := range all {
		name := variable(l.path)
		value, ok := given[name]
		if !ok {
			continue
		}
		delete(given, name)
		if err := l.set(value); err != nil {
			bad = append(bad, fmt.Errorf("%s: %w", name, err))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.Contains(reserved, name) {
			continue
		}
		if err := unknown(name, all); err != nil {
			bad = append(bad, err)
		}
	}
	return errors.Join(bad...)
}

// JSON turns what Print wrote into one JSON object.
func JSON(text []byte) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return []byte("{}"), nil
	}
	return yaml.YAMLToJSON(text)
}
