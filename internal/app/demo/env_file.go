package demo

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// EnvFile is the file in the data folder that holds the demo world's variables.
const EnvFile = "demo.env"

// ReadEnv reads the demo.env of a data folder.
func ReadEnv(dir string) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(dir, EnvFile))
	if err != nil {
		return nil, err
	}
	env := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			env[strings.TrimPrefix(name, "export ")] = strings.Trim(value, "'")
		}
	}
	return env, nil
}

// WriteEnv replaces the demo.env of a data folder in one step; it holds secrets.
func WriteEnv(dir string, env map[string]string) error {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(env)) {
		fmt.Fprintf(&b, "export %s='%s'\n", name, env[name])
	}
	path := filepath.Join(dir, EnvFile)
	temporary := path + ".new"
	if err := os.WriteFile(temporary, []byte(b.String()), 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}
