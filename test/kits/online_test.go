//go:build online

package kits_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// onlineProject is an empty project with the kits' packages beside it.
func onlineProject(t *testing.T, language string) (project, packages string) {
	t.Helper()
	project, packages = t.TempDir(), t.TempDir()
	run(t, root(t), nil, "go", "run", "./packaging/kits", packages, "v1.0.7")
	if err := os.CopyFS(project, os.DirFS(filepath.Join("testdata", "online", language))); err != nil {
		t.Fatal(err)
	}
	return project, packages
}

// TestOnlineNode: the declarations pass tsc --strict, vitest and jest run, and official
// clients take the settings as they are.
func TestOnlineNode(t *testing.T) {
	project, packages := onlineProject(t, "node")
	env := []string{"STOA_BIN=" + build(t)}
	run(t, project, nil, "npm", "init", "--yes")
	run(t, project, nil, "npm", "install", "--no-audit", "--no-fund", "--silent", only(t, packages, "stoatest-1.0.7.tgz"),
		"typescript@7", "@types/node@22", "vitest@3", "jest@30", "octokit@5", "@google/genai@1", "@googleapis/tasks@12",
		"@googleapis/calendar@14", "@datadog/datadog-api-client@1")
	for _, command := range [][]string{
		{"npx", "tsc", "--project", "."},
		{"npx", "vitest", "run"},
		{"npx", "jest"},
		{"node", "--test", "sdks.test.mjs"},
	} {
		t.Run(command[1], func(t *testing.T) { run(t, project, env, command...) })
	}
}

// TestOnlinePython: the hints pass mypy --strict, pytest finds the fixtures, also in
// many processes with one lab, and official clients take the settings as they are.
func TestOnlinePython(t *testing.T) {
	project, packages := onlineProject(t, "python")
	env := []string{"STOA_BIN=" + build(t)}
	run(t, project, nil, "python3", "-m", "venv", "venv")
	python := filepath.Join(project, "venv", "bin", "python")
	run(t, project, nil, python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
		only(t, packages, "stoatest-*.whl"), "pytest", "pytest-xdist", "mypy", "PyGithub", "google-genai",
		"google-api-python-client", "datadog-api-client")
	for i, block := range snippet.FindAllStringSubmatch(text(t, filepath.Join(root(t), "docs", "kits.md")), -1) {
		if block[1] == "python" {
			file := filepath.Join(project, fmt.Sprintf("test_snippet%d.py", i))
			if err := os.WriteFile(file, []byte(block[2]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, command := range map[string][]string{
		"mypy":   {python, "-m", "mypy", "--strict", "-p", "stoatest"},
		"tests":  {python, "-m", "mypy", "--strict", "test_plugin.py"},
		"pytest": {python, "-m", "pytest", "-q"},
		"xdist":  {python, "-m", "pytest", "-q", "-n", "2"},
	} {
		t.Run(name, func(t *testing.T) { run(t, project, env, command...) })
	}
}
