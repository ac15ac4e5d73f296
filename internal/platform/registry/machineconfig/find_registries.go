package machineconfig

import (
	"context"
	"errors"
	"fmt"

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
