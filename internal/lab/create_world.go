package lab

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/lab/worldsettings"
	"stoa.dev/stoa/internal/platform/clock"
)

// NewWorld says how a world is created. Zero values mean: a name of the lab's
// choice, the demo, the machine's clock, a random seed, the sdk dialect, no end.
type NewWorld struct {
	Name    string
	From    string // empty, demo, snapshot:NAME or world:NAME
	Clock   ClockChange
	Seed    *uint64
	Dialect string
	Expires time.Duration
	// Config holds settings as in the YAML file, as JSON.
	Config json.RawMessage
	// SeedFile is the text of a seed file, applied to what the world is created from.
	SeedFile string

	// wished is a name to have where it is free and no Name is given.
	wished string
}

const (
	fromSnapshot = "snapshot:"
	fromWorld    = "world:"
	// defaultDialect lets unmodified clients work at once.
	defaultDialect = "sdk"
)

var validName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,22}[a-z0-9])?$`)

// CheckName refuses what is not a name of a world, a snapshot or an inbox.
func CheckName(name string) error {
	if !validName.MatchString(name) {
		return errInvalid("use 1 to 24 of a-z, 0-9 and -", "%q is not a name", name)
	}
	return nil
}

// Create makes a world.
func (l *Lab) Create(ctx context.Context, n NewWorld) (*World, error) {
	if err := n.check(l.options.Config); err != nil {
		return nil, err
	}
	o, err := l.findOrigin(ctx, n)
	if err == nil && !n.fromNothing() {
		o, err = l.addSeedFile(ctx, n, o)
	}
	if err != nil {
		return nil, err
	}
	return l.createFrom(ctx, n, o)
}

// createFrom makes the world of a base, which it takes over, and opens it.
func (l *Lab) createFrom(ctx context.Context, n NewWorld, o origin) (*World, error) {
	defer l.ready.pauseRemovals()()
	m := manifest{
		Name: n.Name, From: n.From, Base: o.base, Seed: o.seed, Dialect: o.dialect,
		Created: l.clock.Now(), Config: n.Config, Initial: o.state, ProofSalt: l.proofSalt(o.seed, o.state),
	}
	if len(n.Config) == 0 {
		m.Config = o.config
	}
	if n.Expires > 0 {
		m.Expires = m.Created.Add(n.Expires)
	}
	w, err := l.addWorld(m, n.wished, o.again)
	if err != nil {
		return nil, errors.Join(err, l.bases.release(o.base))
	}
	if err := w.Wake(ctx); err != nil {
		_, failed := l.deleteWorld(w)
		return nil, errors.Join(err, failed)
	}
	return w, nil
}

// origin is what a new world takes over.
type origin struct {
	base    string
	state   state
	seed    uint64
	dialect string
	config  json.RawMessage
	// again says that more worlds may be created of the base.
	again bool
}

func (n *NewWorld) check(operator app.Config) error {
	if n.Name != "" {
		if err := CheckName(n.Name); err != nil {
			return err
		}
	}
	if n.From == "" {
		n.From = FromDemo
	}
	if n.Expires < 0 {
		return errInvalid("leave expires out for a world without an end", "expires is negative")
	}
	if n.Dialect != "" && n.Dialect != "sdk" && n.Dialect != "neutral" {
		return errInvalid("use sdk or neutral", "%q is not a dialect", n.Dialect)
	}
	config, err := worldsettings.Check(n.Config, operator)
	if err != nil {
		return errSettings(err)
	}
	n.Config = config
	if err := n.checkSeedFile(); err != nil {
		return err
	}
	return n.Clock.check()
}

// errSettings refuses settings that a world may not have.
func errSettings(err error) *Error {
	return errInvalid(worldsettings.Next, "config: %v", err)
}

// findOrigin finds or makes the base, which is held for the caller.
func (l *Lab) findOrigin(ctx context.Context, n NewWorld) (origin, error) {
	switch {
	case n.fromNothing():
		return l.originFromTemplate(ctx, n)
	case strings.HasPrefix(n.From, fromSnapshot):
		s, err := l.retainSnapshot(strings.TrimPrefix(n.From, fromSnapshot))
		if err != nil {
			return origin{}, err
		}
		o := origin{base: s.Base, state: s.State, seed: s.Seed, dialect: s.Dialect, config: s.Config, again: true}
		return n.apply(l, o), nil
	case strings.HasPrefix(n.From, fromWorld):
		w, err := l.World(strings.TrimPrefix(n.From, fromWorld))
		if err != nil {
			return origin{}, err
		}
		o, err := w.forkOrigin(ctx)
		if err != nil {
			return origin{}, err
		}
		return n.apply(l, o), nil
	}
	return origin{}, errInvalid("use empty, demo, snapshot:NAME or world:NAME", "from %q is not known", n.From)
}

func (l *Lab) originFromTemplate(ctx context.Context, n NewWorld) (o origin, err error) {
	now := state{Mode: clock.ModeReal, Now: l.clock.Now(), Secret: l.ids.Hex(64)}
	o = origin{seed: l.randomSeed(), dialect: defaultDialect, state: now, again: true}
	k := templateKey{from: n.From, seeded: n.Seed != nil, seedFile: n.SeedFile}
	if n.Clock.Now != nil {
		k.at = n.Clock.Now.UTC().Round(0)
	}
	if o.base, err = l.bases.template(ctx, k); err != nil {
		return o, err
	}
	return n.apply(l, o), nil
}

// randomSeed stays within what every JSON reader keeps exactly.
func (l *Lab) randomSeed() uint64 { return uint64(l.ids.Int64N(1 << 31)) }

// apply lays what was asked for over what the base brings.
func (n NewWorld) apply(l *Lab, o origin) origin {
	if n.Seed != nil {
		o.seed, o.state.Drawn, o.state.Life, o.state.Secret = *n.Seed, 0, 0, ""
	}
	if n.Dialect != "" {
		o.dialect = n.Dialect
	}
	o.state = n.Clock.apply(o.state, l.clock.Now())
	o.state.Touched = false
	return o
}

// addWorld gives the world its folder and its name, in one step. again says that more
// worlds may follow of its base.
func (l *Lab) addWorld(m manifest, wished string, again bool) (_ *World, err error) {
	if m.Name, err = l.reserve(m.Name, wished); err != nil {
		return nil, err
	}
	defer l.unreserve(m.Name)
	m.State = m.Initial
	dir, err := os.MkdirTemp(l.unfinished(), "world")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	if err := l.ready.move(m.Base, filepath.Join(dir, dataFolder), again); err != nil {
		return nil, err
	}
	if err := writeManifest(dir, m); err != nil {
		return nil, err
	}
	if err := os.Rename(dir, l.worldDir(m.Name)); err != nil {
		return nil, err
	}
	w, err := l.newWorld(m)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(l.worldDir(m.Name)))
	}
	l.mu.Lock()
	ending := l.closing
	if !ending { // or else Close may have closed all worlds already
		l.worlds[m.Name] = w
	}
	l.mu.Unlock()
	if ending {
		return nil, errors.Join(errEnding(), w.close(), os.RemoveAll(w.dir()))
	}
	return w, nil
}

func errEnding() *Error { return errConflict("start the lab again", "the lab is ending") }

// reserve keeps a name for a world that is being made. In place of an empty one it takes the
// wished one, or another where that is taken.
func (l *Lab) reserve(name, wished string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closing:
		return "", errEnding()
	case len(l.worlds)+l.countReserved(false) >= l.options.MaxWorlds:
		return "", errExhausted("delete some, or raise --max-worlds",
			"there are %d worlds already", l.options.MaxWorlds)
	}
	if name != "" && l.taken(name) {
		return "", errConflict("choose another name, or delete the world first", "there is a world %q already", name)
	}
	for name = cmp.Or(name, wished); name == "" || l.taken(name); {
		name = "w-" + l.ids.Hex(8)
	}
	l.reserved[name] = true
	return name, nil
}

// countReserved is how many names of snapshots, or of worlds, are reserved. The caller holds mu.
func (l *Lab) countReserved(snapshots bool) (n int) {
	for name := range l.reserved {
		if strings.HasPrefix(name, fromSnapshot) == snapshots {
			n++
		}
	}
	return n
}

func (l *Lab) taken(name string) bool { return l.worlds[name] != nil || l.reserved[name] }

func (l *Lab) unreserve(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.reserved, name)
}

// Delete ends a world and removes its files.
func (l *Lab) Delete(name string) error {
	w, err := l.World(name)
	if err != nil {
		return err
	}
	_, err = l.deleteWorld(w)
	return err
}

// deleteWorld is Delete for this world and no other that has its name by now; not ended
// means that another call had done it. The name is free once nothing is left of the world.
func (l *Lab) deleteWorld(w *World) (ended bool, err error) {
	w.op.Lock()
	defer w.op.Unlock()
	name := w.Name()
	err = w.closeForGood()
	l.mu.Lock()
	if ended = l.worlds[name] == w; ended {
		delete(l.worlds, name)
		l.reserved[name] = true
	}
	l.mu.Unlock()
	if !ended {
		return false, err
	}
	defer l.unreserve(name)
	// It loses its name in one step: a process that ends now leaves nothing half.
	gone, failed := os.MkdirTemp(l.unfinished(), "gone")
	if failed == nil {
		failed = os.Rename(w.dir(), filepath.Join(gone, name))
	}
	return true, errors.Join(err, failed, l.ready.remove(gone), l.bases.release(w.manifest.Base))
}
