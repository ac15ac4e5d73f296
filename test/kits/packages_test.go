package kits_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/test/program"
)

// TestPackages builds every package, installs it from its built form alone into an empty
// project, and runs a first test there.
func TestPackages(t *testing.T) {
	t.Parallel()
	binary, packages := build(t), t.TempDir()
	run(t, root(t), nil, "go", "run", "./packaging/kits", packages, "v1.0.7")
	for language, install := range map[string]func(t *testing.T, packages, project string) (env, test []string){
		"go": installGo, "node": installNode, "python": installPython("*.whl"), "python source": installPython("*.tar.gz"),
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			project := t.TempDir()
			folder, _, _ := strings.Cut(language, " ")
			first := filepath.Join("testdata", "first", folder)
			if err := os.CopyFS(project, os.DirFS(first)); err != nil {
				t.Fatal(err)
			}
			env, test := install(t, packages, project)
			run(t, project, append(env, "STOA_BIN="+binary), test...)
		})
	}
}

func installGo(t *testing.T, packages, project string) (env, test []string) {
	t.Helper()
	modules := t.TempDir()
	env = []string{
		"GOPROXY=file://" + filepath.Join(packages, "goproxy"), program.GoFlags("-mod=mod", "-modcacherw"),
		"GOMODCACHE=" + modules, "GOSUMDB=off",
	}
	run(t, project, env, "go", "mod", "init", "first.example")
	run(t, project, env, "go", "get", "stoa.dev/stoa/kit/go@v1.0.7")
	return env, []string{"go", "test", "./..."}
}

func installNode(t *testing.T, packages, project string) (env, test []string) {
	t.Helper()
	file := only(t, packages, "stoatest-1.0.7.tgz")
	run(t, project, nil, "npm", "init", "--yes")
	run(t, project, nil, "npm", "install", "--offline", "--no-audit", "--no-fund", file)
	return nil, []string{"node", "--test"}
}

func installPython(pattern string) func(t *testing.T, packages, project string) (env, test []string) {
	return func(t *testing.T, packages, project string) (env, test []string) {
		t.Helper()
		run(t, project, nil, "python3", "-m", "venv", "venv")
		python := filepath.Join(project, "venv", "bin", "python")
		run(t, project, nil, python, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check",
			only(t, packages, "stoatest-"+pattern))
		if got := run(t, project, nil, python, "-c", "import stoatest; print(stoatest.__version__)"); got != "1.0.7\n" {
			t.Errorf("the installed version is %q", got)
		}
		return nil, []string{python, "-m", "unittest"}
	}
}

// only is the one file of the pattern.
func only(t *testing.T, dir, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %v", pattern, found, err)
	}
	return found[0]
}
