package settings

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"stoa.dev/stoa/internal/platform/clock"
)

// ReadFile decodes YAML text over the values config already holds. An unknown
// key, a duplicate key, a key without a value or a wrong type is an error that shows the
// line; all but what is no YAML are reported together.
func ReadFile(config any, name string, text []byte) error {
	var tree map[string]any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		return fmt.Errorf("%s: %s", name, yaml.FormatError(err, false, true))
	}
	if len(tree) == 0 {
		return nil
	}
	if err := explain(config, name, text, tree); err != nil {
		return err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict(), yaml.DisallowUnknownField(),
		yaml.CustomUnmarshaler(readDuration))
	if err := decoder.Decode(config); err != nil {
		return fmt.Errorf("%s: %s", name, yaml.FormatError(err, false, true))
	}
	return nil
}

// readDuration reads days, too, which the decoder does not know.
func readDuration(d *time.Duration, text []byte) (err error) {
	*d, err = clock.ParseDuration(strings.Trim(strings.TrimSpace(string(text)), `"'`))
	return err
}

// ReadEnvironment sets every value whose variable is present in environ, which has
// the form of os.Environ. An empty variable is as good as none. One that looks like
// a setting and is none is refused, unless it is reserved: the program has written it
// for others, or others read it. All that is bad is reported together.
func ReadEnvironment(config any, environ, reserved []string) error {
	given := given(environ)
	var bad []error
	all := leaves(config)
	for _, l := range all {
		name := Variable(l.path)
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
