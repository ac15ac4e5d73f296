package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/demo"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/seed"
)

// seedName stands for the file in errors: the member of the control API that has it.
const seedName = "seedFile"

func (n NewWorld) fromNothing() bool { return n.From == FromEmpty || n.From == FromDemo }

// checkSeedFile refuses a text before anything is made.
func (n NewWorld) checkSeedFile() error {
	if n.SeedFile == "" {
		return nil
	}
	if err := app.CheckSeed(seedName, n.SeedFile); err != nil {
		return errSeedFile(err)
	}
	return nil
}

func errSeedFile(err error) *Error {
	return errInvalid("/docs/world.schema.json of a world describes the file", "%v", err)
}

// addSeedFile makes a base with what a seed file adds to the one of a new world, which it
// takes over. Its identifiers are drawn from the world's own.
func (l *Lab) addSeedFile(ctx context.Context, n NewWorld, o origin) (origin, error) {
	if n.SeedFile == "" {
		return o, nil
	}
	before := o.base
	source := o.state.ids(o.seed)
	base, err := l.bases.add(func(data string) error {
		if err := copyFolder(l.bases.data(before), data, l.immutable); err != nil {
			return err
		}
		return l.openForSeed(ctx, o, source, data, n.SeedFile)
	})
	o.base, o.again, o.state.Drawn = base, false, source.Drawn()
	return o, errors.Join(err, l.bases.release(before))
}

func (l *Lab) openForSeed(ctx context.Context, o origin, source *ids.Source, data, text string) (err error) {
	c := l.config(data, "http://127.0.0.1")
	c.Dialect = o.dialect
	a, err := app.New(ctx, app.Options{
		Config: c, Version: l.options.Version, Clock: clock.NewVirtual(o.state.Now), IDs: source,
		Memory: l.memory, NoHTTP: true, NoSync: true, LogTo: io.Discard, ThrowAway: throwAway,
	})
	if err != nil {
		return fmt.Errorf("apply a seed file: %w", err)
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	return applySeedFile(ctx, a, data, text)
}

// addressVariables are the world's own, whatever a seed file says.
func addressVariables() []string {
	return []string{"STOA_URL", "STOA_DATA", "STOA_KMS_SOCKET", "STOA_WORLD", "STOA_HTTPS_URL", "STOA_CA_FILE"}
}

// applySeedFile adds what a text says, and its variables to those of the folder.
func applySeedFile(ctx context.Context, a *app.App, data, text string) error {
	if text == "" {
		return nil
	}
	env, unborn := demo.ReadEnv(data)
	if unborn != nil {
		env = map[string]string{} // an empty world has none
	}
	own := slices.DeleteFunc(addressVariables(), func(name string) bool { _, there := env[name]; return there })
	for _, name := range own {
		env[name] = ""
	}
	if err := a.ApplySeed(ctx, seedName, text, env); err != nil {
		var refused *seed.Error
		switch {
		case !errors.As(err, &refused):
			return err
		case unborn == nil && errors.Is(err, identity.ErrTaken):
			return errInvalid(`the world has it from what it is born from; begin with nothing: --from empty, or "from":"empty"`,
				"%v", err)
		}
		return errSeedFile(err)
	}
	for _, name := range own {
		delete(env, name)
	}
	return demo.WriteEnv(data, env)
}
