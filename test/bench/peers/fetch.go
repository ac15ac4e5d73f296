package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// fetched is the folder of a pin, filled by fill unless it was before. A folder
// appears whole or not at all.
func (r *run) fetched(p pin, fill func(folder string) error) (string, error) {
	folder := filepath.Join(r.cache, p.name+"-"+p.version)
	_, err := os.Stat(folder)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return folder, err
	}
	fmt.Fprintf(os.Stderr, "peers: fetching %s %s\n", p.name, p.version)
	draft := folder + ".part"
	if err := os.RemoveAll(draft); err != nil {
		return "", err
	}
	if err := os.MkdirAll(draft, 0o755); err != nil {
		return "", err
	}
	if err := fill(draft); err != nil {
		return "", fmt.Errorf("fetching %s %s: %w", p.name, p.version, err)
	}
	return folder, os.Rename(draft, folder)
}

// goProgram installs a main package outside of this module.
func (r *run) goProgram(ctx context.Context, p pin) (binary string, err error) {
	folder, err := r.fetched(p, func(folder string) error {
		return command(ctx, folder, []string{"GOBIN=" + folder, "CGO_ENABLED=0"}, "go", "install", p.from+"@"+p.version)
	})
	return filepath.Join(folder, filepath.Base(p.from)), err
}

// npmProgram installs a package and returns the folder of it. No script of any
// package runs.
func (r *run) npmProgram(ctx context.Context, p pin) (folder string, err error) {
	folder, err = r.fetched(p, func(folder string) error {
		text, err := json.Marshal(map[string]any{"private": true, "overrides": p.override})
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, "package.json"), text, 0o644); err != nil {
			return err
		}
		return command(ctx, folder, nil, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts",
			p.from+"@"+p.version)
	})
	return filepath.Join(folder, "node_modules", p.from), err
}

// node is the program that runs npm packages, so that every machine runs them with
// the same one.
func (r *run) node(ctx context.Context) (string, error) {
	names := map[string]string{"amd64": "x64", "arm64": "arm64"}
	p := pins()[nodeProgram]
	p.from += names[runtime.GOARCH]
	folder, err := r.npmProgram(ctx, p)
	return filepath.Join(folder, "bin", "node"), err
}

// nodeScript fetches a package and returns the command that runs a file of it.
func (r *run) nodeScript(ctx context.Context, p pin, file string) ([]string, error) {
	node, err := r.node(ctx)
	if err != nil {
		return nil, err
	}
	folder, err := r.npmProgram(ctx, p)
	return []string{node, filepath.Join(folder, file)}, err
}

// command runs a program and reports what it printed when it fails.
func command(ctx context.Context, dir string, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, args[0], err, bytes.TrimSpace(out))
	}
	return nil
}
