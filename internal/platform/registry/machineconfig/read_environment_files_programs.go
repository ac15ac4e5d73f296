package machineconfig

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// env is a step that reads the first set environment variable.
func (f *Finder) env(names ...string) step {
	return func(context.Context) ([]string, string) {
		for _, name := range names {
			if v := f.o.Getenv(name); v != "" {
				return []string{v}, "the environment variable " + name
			}
		}
		return nil, ""
	}
}

// file is a step that reads the first file that read finds something in.
func (f *Finder) file(read func(text string) []string, paths ...string) step {
	return func(context.Context) ([]string, string) {
		for _, path := range paths {
			text, ok := f.readFile(path)
			if !ok {
				continue
			}
			if found := read(text); len(found) > 0 {
				return found, path
			}
		}
		return nil, ""
	}
}

// maxConfigFile bounds what is read as a config file.
const maxConfigFile = 1 << 20

func (f *Finder) readFile(path string) (string, bool) {
	if path == "" {
		return "", false
	}
	info, err := os.Stat(f.path(path))
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxConfigFile {
		return "", false
	}
	text, err := os.ReadFile(f.path(path))
	return string(text), err == nil
}

// path puts the test root before a path.
func (f *Finder) path(p string) string {
	if f.o.Root == "" || strings.HasPrefix(p, f.o.Root) {
		return p
	}
	return filepath.Join(f.o.Root, p)
}

// home is a path below the user's home folder, empty when there is none.
func (f *Finder) home(parts ...string) string {
	home := f.o.Getenv("HOME")
	if home == "" {
		return ""
	}
	return filepath.Join(append([]string{home}, parts...)...)
}

// below is a path below the folder a variable names, empty when it is unset.
func (f *Finder) below(variable string, parts ...string) string {
	dir := f.o.Getenv(variable)
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, parts...)...)
}

// ask is a step that runs a package manager.
func (f *Finder) ask(read func(text string) []string, name string, args ...string) step {
	return func(ctx context.Context) ([]string, string) {
		out, err := f.o.Run(ctx, name, args...)
		if err != nil {
			return nil, ""
		}
		return read(out), name + " " + args[0]
	}
}

// programTime bounds how long a package manager may take to say where it
// fetches from. Some of them start a virtual machine first.
const programTime = 20 * time.Second

func runProgram(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, programTime)
	defer cancel()
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if late := ctx.Err(); late != nil {
		return "", fmt.Errorf("registry: %s: %w", name, late)
	}
	if err != nil {
		return "", fmt.Errorf("registry: %s: %w", name, err)
	}
	return string(out), nil
}
