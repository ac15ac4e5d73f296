//go:build online

package kits_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/test/kits/engine"
)

// TestOnlineContainers runs the modules of Testcontainers in three languages against a
// stand-in of the engine's API, whose containers are the program itself. With
// DOCKER_HOST and STOA_IMAGE in the environment they run against a true engine.
func TestOnlineContainers(t *testing.T) {
	env := containerEngine(t)
	project, packages := onlineProject(t, "containers")
	t.Run("go", func(t *testing.T) {
		run(t, filepath.Join(root(t), "kit", "testcontainers", "go"), append(env, "GOFLAGS=-mod=mod -buildvcs=false"),
			"go", "test", "-count=1", "./...")
		program := shownProgram(t, "go", "go", "main.go")
		printed(t, run(t, filepath.Join(root(t), "kit", "testcontainers", "go"),
			append(env, "GOFLAGS=-mod=mod -buildvcs=false"), "go", "run", program))
	})
	t.Run("node", func(t *testing.T) {
		run(t, project, nil, "npm", "init", "--yes")
		run(t, project, nil, "npm", "install", "--no-audit", "--no-fund", "--silent", "testcontainers@11", "typescript@7",
			"@types/node@22", only(t, packages, "stoatest-1.0.7.tgz"), only(t, packages, "stoatest-testcontainers-1.0.7.tgz"))
		run(t, project, env, "node", "--test")
		// Packages are looked for beside the program.
		if err := os.Rename(shownProgram(t, "node", "js", "main.mjs"), filepath.Join(project, "main.mjs")); err != nil {
			t.Fatal(err)
		}
		printed(t, run(t, project, env, "node", "main.mjs"))
	})
	t.Run("python", func(t *testing.T) {
		run(t, project, nil, "python3", "-m", "venv", "venv")
		python := filepath.Join(project, "venv", "bin", "python")
		run(t, project, nil, python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
			only(t, packages, "stoatest-*.whl"), only(t, packages, "stoatest_testcontainers-*.whl"))
		run(t, project, env, python, "-m", "unittest")
		printed(t, run(t, project, env, python, shownProgram(t, "python", "python", "main.py")))
	})
}

// shownProgram writes what the page of a module shows as a program, letter by letter.
func shownProgram(t *testing.T, module, language, name string) string {
	t.Helper()
	page := filepath.Join(root(t), "kit", "testcontainers", module, "README.md")
	blocks := snippet.FindAllStringSubmatch(text(t, page), -1)
	if len(blocks) != 1 || blocks[0][1] != language {
		t.Fatalf("%s does not show one program in %s", page, language)
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(blocks[0][2]), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// printed: the program of a page shows an address.
func printed(t *testing.T, out string) {
	t.Helper()
	if !strings.Contains(out, "http://") {
		t.Errorf("the program prints %q", out)
	}
}

func containerEngine(t *testing.T) []string {
	t.Helper()
	if os.Getenv("STOA_IMAGE") != "" {
		return nil
	}
	e := &engine.Engine{Program: build(t), Dir: shortFolder(t), Log: t.Logf}
	server := httptest.NewServer(e)
	t.Cleanup(func() { server.Close(); e.Close() })
	return []string{
		"DOCKER_HOST=" + strings.Replace(server.URL, "http://", "tcp://", 1), "TESTCONTAINERS_RYUK_DISABLED=true",
		"STOA_IMAGE=stoa:stand-in",
	}
}
