package machineconfig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/registry"
)

// ErrNone means that nothing on this machine names a registry of the kind.
var ErrNone = errors.New("registry: no address found")

// ErrSilent means that a package manager that might name one did not answer in
// time, as on a busy machine: ask again.
var ErrSilent = errors.New("registry: a package manager did not answer in time")

// Options are what a Finder looks at. Every part can be replaced in tests.
type Options struct {
	// Configured addresses win over everything else.
	Configured map[registry.Kind][]string
	// Getenv reads the environment; nil means an empty one.
	Getenv func(string) string
	// Run asks an installed program and returns its standard output; nil
	// runs the program itself.
	Run func(ctx context.Context, name string, args ...string) (string, error)
	// Still leaves out ways of finding that themselves ask outside.
	Still bool
	// Root is put before absolute paths of system config files in tests.
	Root string
}

// Finder finds registry addresses.
type Finder struct {
	o Options
}

// New makes a Finder.
func New(o Options) *Finder {
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	if o.Run == nil {
		o.Run = runProgram
	}
	return &Finder{o: o}
}

// step is one way to find addresses; it returns what was written there,
// unparsed, and where it was written.
type step func(ctx context.Context) (texts []string, from string)

// Find returns the addresses of a kind, most preferred first, or ErrNone, or
// ErrSilent.
func (f *Finder) Find(ctx context.Context, kind registry.Kind) ([]registry.Address, error) {
	if texts := f.o.Configured[kind]; len(texts) > 0 {
		return addresses(kind, texts, "the configuration of Stoa")
	}
	var failed error
	silent := false
	watched := &Finder{o: f.o}
	watched.o.Run = func(ctx context.Context, name string, args ...string) (string, error) {
		out, err := f.o.Run(ctx, name, args...)
		silent = silent || errors.Is(err, context.DeadlineExceeded)
		return out, err
	}
	for _, s := range watched.steps(kind) {
		texts, from := s(ctx)
		if len(texts) == 0 {
			continue
		}
		list, err := addresses(kind, texts, from)
		if err == nil {
			for i := range list {
				list[i] = list[i].AsFound()
			}
			return list, nil
		}
		failed = err
	}
	switch {
	case failed != nil:
		return nil, failed
	case silent:
		return nil, fmt.Errorf("%w where packages of %s come from: ask again, or set packages.registries.%s in the "+
			"configuration", ErrSilent, kind, kind)
	}
	return nil, fmt.Errorf("%w for %s: set packages.registries.%s in the configuration "+
		"or install the ecosystem's package manager", ErrNone, kind, kind)
}

func addresses(kind registry.Kind, texts []string, from string) ([]registry.Address, error) {
	var list []registry.Address
	for _, text := range texts {
		a, err := registry.NewAddress(kind, text, from)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

func (f *Finder) steps(kind registry.Kind) []step {
	switch kind {
	case registry.Go:
		return f.goSteps()
	case registry.NPM:
		return f.npmSteps()
	case registry.Cargo:
		return f.cargoSteps()
	case registry.Maven:
		return f.mavenSteps()
	case registry.PyPI:
		return f.pypiSteps()
	case registry.NuGet:
		return f.nugetSteps()
	case registry.RubyGems:
		return f.gemSteps()
	}
	return nil
}

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
