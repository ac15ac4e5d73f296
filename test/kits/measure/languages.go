package main

import (
	"context"
	_ "embed"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// The first tests, with their times taken.
var (
	//go:embed testdata/first_go.txt
	firstGo string
	//go:embed testdata/first_node.txt
	firstNode string
	//go:embed testdata/first_python.txt
	firstPython string
)

func languages() []language {
	return []language{
		{"Go", "first_test.go", firstGo, prepareGo, []string{"go", "test", "-count=1", "-v", "."}},
		{"Node.js", "first.test.mjs", firstNode, prepareNode, []string{"node", "--test"}},
		{"Python", "test_first.py", firstPython, preparePython, []string{"python3", "-m", "unittest"}},
	}
}

func prepareGo(_ context.Context, root, project string) error {
	text := "module first.example\n\ngo 1.25\n\nrequire stoa.dev/stoa/kit/go v1.0.0\n\nreplace stoa.dev/stoa/kit/go => " +
		filepath.Join(root, "kit", "go") + "\n"
	return os.WriteFile(filepath.Join(project, "go.mod"), []byte(text), 0o600)
}

func prepareNode(_ context.Context, root, project string) error {
	return errors.Join(os.MkdirAll(filepath.Join(project, "node_modules"), 0o755),
		os.Symlink(filepath.Join(root, "kit", "node"), filepath.Join(project, "node_modules", "stoatest")))
}

func preparePython(_ context.Context, root, project string) error {
	return os.CopyFS(filepath.Join(project, "stoatest"), os.DirFS(filepath.Join(root, "kit", "python", "stoatest")))
}

func middle(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}
