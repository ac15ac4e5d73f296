package resolve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// tool is an ecosystem's own resolver.
type tool struct {
	name    string
	system  catalog.System
	program string
	// resolve lists "name version" of everything that the tool would install with
	// a package, the package itself left out.
	resolve func(dir, name, version string) ([]string, error)
}

func tools() []tool {
	return []tool{
		{"pypi", catalog.PyPI, "pip", pip},
	}
}

func (t tool) ready() error {
	_, err := exec.LookPath(t.program)
	return err
}

// cached is resolve with answers of the last day.
func (t tool) cached(name, version string) ([]string, error) {
	folder := filepath.Join("..", "..", ".cache", "resolve", t.name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	file := filepath.Join(folder, strings.NewReplacer("/", "+", ":", "+").Replace(name)+" "+version)
	if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) < 24*time.Hour {
		text, err := os.ReadFile(file)
		if rest, failed := strings.CutPrefix(string(text), "failed: "); failed {
			return nil, fmt.Errorf("%s", rest)
		}
		return strings.Split(strings.TrimSpace(string(text)), "\n"), err
	}
	dir, err := os.MkdirTemp("", "resolve")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	list, err := t.resolve(dir, name, version)
	if err != nil {
		_ = os.WriteFile(file, []byte("failed: "+err.Error()), 0o644)
		return nil, err
	}
	root := catalog.CanonicalName(t.system, name) + " "
	list = slices.DeleteFunc(list, func(s string) bool { return strings.HasPrefix(s, root) })
	slices.Sort(list)
	list = slices.Compact(list)
	return list, os.WriteFile(file, []byte(strings.Join(list, "\n")), 0o644)
}

// run runs a program in a folder and returns what it printed.
func run(dir string, env []string, program string, args ...string) ([]byte, error) {
	c := exec.Command(program, args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	var out, bad bytes.Buffer
	c.Stdout, c.Stderr = &out, &bad
	if err := c.Run(); err != nil {
		text := strings.TrimSpace(bad.String() + out.String())
		return nil, fmt.Errorf("%w: %s", err, text[max(0, len(text)-300):])
	}
	return out.Bytes(), nil
}

// pythonVersion is that of the Python that pip runs on.
func pythonVersion() string {
	out, err := run(".", nil, "python3", "-c", "import platform; print(platform.python_version())")
	if err != nil {
		return "3.13"
	}
	return strings.TrimSpace(string(out))
}

func pip(dir, name, version string) ([]string, error) {
	report := filepath.Join(dir, "report.json")
	_, err := run(
		dir, []string{"PIP_FIND_LINKS="}, "python3", "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet",
		"--no-input", "--report", report, name+"=="+version)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(report)
	if err != nil {
		return nil, err
	}
	var r struct {
		Install []struct {
			Metadata struct {
				Name    string `json:"name"`
				Version string `json:"version"`
			} `json:"metadata"`
		} `json:"install"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, err
	}
	var list []string
	for _, i := range r.Install {
		list = append(list, catalog.CanonicalName(catalog.PyPI, i.Metadata.Name)+" "+
			catalog.CanonicalVersion(catalog.PyPI, i.Metadata.Version))
	}
	return list, nil
}
