//go:build resolve

package resolve_test

import (
	"bytes"
	"encoding/json"
	"errors"
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
		{"cargo", catalog.Cargo, "cargo", cargo},
		{"npm", catalog.NPM, "npm", npm},
		{"maven", catalog.Maven, "mvn", maven},
		{"go", catalog.Go, "go", golang},
	}
}

func (t tool) ready() error {
	_, err := exec.LookPath(t.program)
	return err
}

// tries is how often a tool is asked: what it could not fetch it may get the next time.
const tries = 3

// cached is resolve with answers of the last day; failures are not kept.
func (t tool) cached(name, version string) ([]string, error) {
	folder := filepath.Join("..", "..", ".cache", "resolve", t.name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	file := filepath.Join(folder, strings.NewReplacer("/", "+", ":", "+").Replace(name)+" "+version)
	if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) < 24*time.Hour {
		text, err := os.ReadFile(file)
		return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' }), err
	}
	list, err := t.fresh(name, version)
	for again := 1; err != nil && again < tries; again++ {
		list, err = t.fresh(name, version)
	}
	if err != nil {
		return nil, err
	}
	root := catalog.CanonicalName(t.system, name) + " "
	list = slices.DeleteFunc(list, func(s string) bool { return strings.HasPrefix(s, root) })
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.Concat([]string{}, list), os.WriteFile(file, []byte(strings.Join(list, "\n")), 0o644)
}

// fresh is resolve in an empty folder.
func (t tool) fresh(name, version string) ([]string, error) {
	dir, err := os.MkdirTemp("", "resolve")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	return t.resolve(dir, name, version)
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

func cargo(dir, name, version string) ([]string, error) {
	manifest := fmt.Sprintf("[package]\nname = \"consumer\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"+
		"[lib]\npath = \"lib.rs\"\n[dependencies]\n%s = \"=%s\"\n", name, version)
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "Cargo.toml"), []byte(manifest), 0o600),
		os.WriteFile(filepath.Join(dir, "lib.rs"), nil, 0o600)); err != nil {
		return nil, err
	}
	out, err := run(dir, nil, "cargo", "tree", "--quiet", "-e", "normal,build", "--target", "x86_64-unknown-linux-gnu",
		"--prefix", "none")
	if err != nil {
		return nil, err
	}
	var list []string
	for line := range strings.Lines(string(out)) {
		if words := strings.Fields(line); len(words) >= 2 && words[0] != "consumer" {
			list = append(list, words[0]+" "+strings.TrimPrefix(words[1], "v"))
		}
	}
	return list, nil
}

// npm reads the lock file that npm writes and leaves out what is for other
// platforms.
func npm(dir, name, version string) ([]string, error) {
	manifest, err := json.Marshal(map[string]any{
		"name": "consumer", "version": "1.0.0", "dependencies": map[string]string{name: version},
	})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), manifest, 0o600); err != nil {
		return nil, err
	}
	if _, err := run(dir, nil, "npm", "install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund",
		"--loglevel=error"); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Name    string   `json:"name"`
			Version string   `json:"version"`
			OS      []string `json:"os"`
			CPU     []string `json:"cpu"`
			LibC    []string `json:"libc"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, err
	}
	var list []string
	for path, p := range lock.Packages {
		at := strings.LastIndex(path, "node_modules/")
		if at < 0 || !admits(p.OS, "linux") || !admits(p.CPU, "x64") || !admits(p.LibC, "glibc") {
			continue
		}
		if p.Name == "" {
			p.Name = path[at+len("node_modules/"):]
		}
		list = append(list, p.Name+" "+p.Version)
	}
	return list, nil
}

// admits reports whether a list of platforms has one, or does not exclude it.
func admits(list []string, platform string) bool {
	only := false
	for _, p := range list {
		if p == platform || p == "any" {
			return true
		}
		if p == "!"+platform {
			return false
		}
		only = only || !strings.HasPrefix(p, "!")
	}
	return !only
}

func maven(dir, name, version string) ([]string, error) {
	group, artifact, _ := strings.Cut(name, ":")
	pom := fmt.Sprintf(`<project><modelVersion>4.0.0</modelVersion><groupId>consumer</groupId>`+
		`<artifactId>consumer</artifactId><version>1</version><dependencies><dependency><groupId>%s</groupId>`+
		`<artifactId>%s</artifactId><version>%s</version></dependency></dependencies></project>`, group, artifact, version)
	if err := os.WriteFile(filepath.Join(dir, "pom.xml"), []byte(pom), 0o600); err != nil {
		return nil, err
	}
	tree := filepath.Join(dir, "tree.txt")
	if _, err := run(dir, nil, "mvn", "-q", "-B", "dependency:tree", "-DoutputFile="+tree); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(tree)
	if err != nil {
		return nil, err
	}
	var list []string
	for line := range strings.Lines(string(text)) {
		parts := strings.Split(strings.TrimLeft(strings.TrimSpace(line), "+-\\| "), ":")
		if len(parts) < 5 {
			continue
		}
		list = append(list, parts[0]+":"+parts[1]+" "+parts[len(parts)-2])
	}
	return list, nil
}

func golang(dir, name, version string) ([]string, error) {
	mod := fmt.Sprintf("module consumer\n\ngo 1.26\n\nrequire %s %s\n", name, version)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o600); err != nil {
		return nil, err
	}
	env := []string{"GOFLAGS=-mod=mod", "GOSUMDB=off", "GOTOOLCHAIN=local", "GOWORK=off"}
	out, err := run(dir, env, "go", "list", "-m", "all")
	if err != nil {
		return nil, err
	}
	var list []string
	for line := range strings.Lines(string(out)) {
		if words := strings.Fields(line); len(words) == 2 {
			list = append(list, words[0]+" "+words[1])
		}
	}
	return list, nil
}
