package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
)

// What a world can be created from, besides a snapshot and another world.
const (
	FromEmpty = "empty"
	FromDemo  = "demo"
)

// templateSeed makes the credentials of every empty or demo world whose seed was
// named: the same ones everywhere, which is what was asked for. Those of other
// worlds are random.
const templateSeed = 1

// demoAge is how old the demo data of worlds on the machine's clock may be.
const demoAge = time.Hour

// maxTemplates is how many demo worlds of different dates are kept ready.
const maxTemplates = 16

// templateKey is what tells bases that are made from nothing apart.
type templateKey struct {
	from   string
	at     time.Time // of its clock, in UTC; zero for any real one
	seeded bool
	// seedFile is the text of the seed file that was applied.
	seedFile string
}

// template is a base that was made from nothing.
type template struct {
	templateKey
	made time.Time
	once sync.Once
	base string
	err  error

	// users have found it and not yet retained its base. Of one that was evicted
	// meanwhile the last of them lets go. The lock of bases guards both.
	users   int
	evicted bool
}

// template finds or makes the base of a world from nothing, and holds it for the
// caller. The dates of the demo are relative to the clock it begins with.
func (b *bases) template(ctx context.Context, k templateKey) (string, error) {
	if k.timeless() {
		k.at = time.Time{}
	}
	t, unused := b.find(k)
	b.drop(unused...)
	t.once.Do(func() { t.base, t.err = b.make(context.WithoutCancel(ctx), k) })
	return t.base, b.retainTemplate(t)
}

// find is the template for a new world, which it becomes a user of, and those to drop
// whose place it takes.
func (b *bases) find(k templateKey) (t *template, unused []*template) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer func() { t.users++ }()
	evict := func(i int) {
		old := b.templates[i]
		b.templates = slices.Delete(b.templates, i, i+1)
		if old.evicted = true; old.users == 0 {
			unused = append(unused, old)
		}
	}
	now := b.lab.clock.Now()
	i := slices.IndexFunc(b.templates, func(t *template) bool { return t.templateKey == k })
	if i >= 0 {
		if t = b.templates[i]; k.fresh(now.Sub(t.made)) {
			b.templates = append(slices.Delete(b.templates, i, i+1), t)
			return t, nil
		}
		evict(i)
	}
	if len(b.templates) >= maxTemplates {
		evict(0)
	}
	t = &template{templateKey: k, made: now}
	b.templates = append(b.templates, t)
	return t, unused
}

// retainTemplate ends what find began: it retains the base for the caller. A template
// that could not be made is forgotten, for the next world to try again.
func (b *bases) retainTemplate(t *template) error {
	b.mu.Lock()
	t.users--
	unused := t.evicted && t.users == 0
	if t.err == nil {
		b.refs[t.base]++
	} else {
		b.templates = slices.DeleteFunc(b.templates, func(o *template) bool { return o == t })
	}
	b.mu.Unlock()
	if unused {
		b.drop(t)
	}
	return t.err
}

// drop lets go of bases that no further world is created from. What cannot be removed
// goes with the next start.
func (b *bases) drop(templates ...*template) {
	for _, t := range templates {
		if t.base == "" {
			continue
		}
		if err := b.release(t.base); err != nil {
			b.lab.options.Log.Warn("base not removed", "base", t.base, "error", err.Error())
		}
	}
}

// fresh reports whether a template of this age is as good as a new one.
func (k templateKey) fresh(age time.Duration) bool {
	return k.timeless() || !k.at.IsZero() || age < demoAge
}

// timeless reports whether nothing in the template has a date.
func (k templateKey) timeless() bool { return k.from == FromEmpty && k.seedFile == "" }

// make takes the base from the cache, or builds it and leaves it there.
func (b *bases) make(ctx context.Context, k templateKey) (string, error) {
	kept := b.cache.find(k, b.lab.clock.Now())
	if kept != "" {
		name, err := b.copyKept(kept)
		if err == nil {
			return name, nil
		}
		// Who cleans up such folders may have removed it meanwhile.
		b.lab.options.Log.Warn("kept world not readable", "folder", kept, "error", err.Error())
	}
	name, err := b.add(func(data string) error { return b.build(ctx, k, data) })
	if err != nil {
		return "", err
	}
	if err := b.cache.keep(k, b.lab.clock.Now(), b.data(name), b.lab.immutable); err != nil {
		b.lab.options.Log.Warn("world not kept for the next process", "error", err.Error())
	}
	return name, nil
}

// copyKept makes a base of a folder in the cache and, at the same time, the copy that the
// first world begins with.
func (b *bases) copyKept(kept string) (name string, err error) {
	ready, err := b.lab.ready.folder()
	if err != nil {
		return "", err
	}
	var group errgroup.Group
	group.Go(func() error { return copyFolder(kept, ready, b.lab.immutable) })
	name, err = b.add(func(data string) error { return copyFolder(kept, data, b.lab.immutable) })
	if failed := group.Wait(); err == nil && failed == nil {
		b.lab.ready.add(name, ready)
		return name, nil
	}
	return name, errors.Join(err, os.RemoveAll(filepath.Dir(ready)))
}

// prepareDemo takes the demo from the cache before the first world asks for it.
func (b *bases) prepareDemo(ctx context.Context) {
	k := templateKey{from: FromDemo}
	if b.cache.find(k, b.lab.clock.Now()) == "" {
		return
	}
	name, err := b.template(ctx, k)
	if err == nil {
		err = b.release(name)
	}
	if err != nil {
		b.lab.options.Log.Warn("demo not prepared", "error", err.Error())
	}
}

// build fills an empty folder by an app that is closed again.
func (b *bases) build(ctx context.Context, k templateKey, data string) (err error) {
	v := clock.NewVirtual(b.lab.clock.Now())
	if !k.at.IsZero() {
		v.Set(k.at)
	}
	source := ids.Random()
	if k.seeded {
		source = ids.Seeded(templateSeed)
	}
	config := b.lab.config(data, "http://127.0.0.1")
	// Wherever the lab listens, this app does not: a demo belongs to loopback, or to
	// who opens a lab beyond it with a token.
	config.Listen.HTTP = "127.0.0.1:0"
	a, err := app.New(ctx, app.Options{
		Config: config, Version: b.lab.options.Version, Clock: v, IDs: source,
		Memory: b.lab.memory, NoHTTP: true, NoSync: true, LogTo: io.Discard, ThrowAway: throwAway,
	})
	if err != nil {
		return fmt.Errorf("make a world from %s: %w", k.from, err)
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if k.from == FromDemo {
		err = a.SeedDemo(ctx)
	}
	if err == nil {
		err = applySeedFile(ctx, a, data, k.seedFile)
	}
	if err != nil || k.timeless() {
		return err
	}
	return b.settle(ctx, a)
}

// settle does the work that the demo leaves for later, so that not every world created
// of it does it again. What takes too long is left to them.
func (b *bases) settle(ctx context.Context, a *app.App) error {
	if err := a.StartJobs(ctx); err != nil {
		return err
	}
	queue := a.World().Jobs
	queue.Await(a.Settle)
	bounded, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	if err := queue.Settle(bounded); err != nil && bounded.Err() == nil {
		return fmt.Errorf("make the demo: %w", err)
	}
	return nil
}

// settleTime bounds what is done ahead for the worlds of the demo.
const settleTime = 10 * time.Second

// throwAway is why worlds of a lab ask no registry that was merely found.
const throwAway = "worlds of a lab ask no registry that was merely found on the machine"
