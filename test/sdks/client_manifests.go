package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// clients are the pinned requirements of the folder's manifests.
func clients(dir string) ([]client, error) {
	var out []client
	for _, read := range []func(string) ([]client, error){goClients, npmClients, pythonClients} {
		found, err := read(dir)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	slices.SortFunc(out, func(a, b client) int { return strings.Compare(a.kind+a.name, b.kind+b.name) })
	return out, nil
}

func goClients(dir string) ([]client, error) {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil, err
	}
	var out []client
	tools := goTools(string(text))
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) < 2 || !strings.Contains(fields[0], ".") || !strings.HasPrefix(fields[1], "v") ||
			strings.HasPrefix(fields[0], "stoa.dev/") {
			continue
		}
		// A program is a client too, though go.mod marks what only it needs.
		program := slices.ContainsFunc(tools, func(path string) bool {
			return path == fields[0] || strings.HasPrefix(path, fields[0]+"/")
		})
		if len(fields) == 2 || program {
			out = append(out, client{"go", fields[0], fields[1]})
		}
	}
	return out, nil
}

// goTools are the programs that a go.mod names.
func goTools(text string) (out []string) {
	for line := range strings.Lines(text) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "tool "); ok {
			out = append(out, path)
		}
	}
	return out
}

func npmClients(dir string) ([]client, error) {
	text, err := os.ReadFile(filepath.Join(dir, "npm", "package.json"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var manifest struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		return nil, err
	}
	var out []client
	for name, version := range manifest.Dependencies {
		out = append(out, client{"npm", name, version})
	}
	return out, nil
}

// pythonClients reads python/NAME/requirements.txt. It pins everything that is
// installed; what is there only for a client is marked, as in go.mod.
func pythonClients(dir string) ([]client, error) {
	files, err := filepath.Glob(filepath.Join(dir, "python", "*", "requirements.txt"))
	if err != nil {
		return nil, err
	}
	var out []client
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			pin, comment, _ := strings.Cut(line, "#")
			pin = strings.TrimSpace(pin)
			if pin == "" {
				continue
			}
			name, version, ok := strings.Cut(pin, "==")
			if !ok {
				return nil, fmt.Errorf("%s: %q is not pinned to a version with ==", file, pin)
			}
			if strings.TrimSpace(comment) != "indirect" {
				out = append(out, client{"python", name, version})
			}
		}
	}
	return out, nil
}

// installed reports which programs the folders' clients need and look does not
// find, before hours of tests begin.
func installed(dirs []string, look func(string) (string, error)) error {
	var missing []string
	for _, need := range []struct{ manifest, program, advice string }{
		{"npm/package.json", "node", "Node.js 20 or newer"},
		{"npm/package.json", "npm", "npm, which comes with Node.js"},
		{"python/*/requirements.txt", "python3", "Python 3.10 or newer with its modules venv and pip"},
	} {
		if _, err := look(need.program); err == nil {
			continue
		}
		if slices.ContainsFunc(dirs, func(dir string) bool {
			found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(need.manifest)))
			return err == nil && len(found) > 0
		}) {
			missing = append(missing, fmt.Sprintf("%s is not in PATH: install %s", need.program, need.advice))
		}
	}
	if len(missing) > 0 {
		return errors.New(strings.Join(missing, "; "))
	}
	return nil
}
