package lab

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// copyBase makes a base of what the world is now, without stopping it, and copies more
// of the same in the given folders.
func (w *World) copyBase(ctx context.Context, more ...string) (origin, error) {
	w.op.Lock()
	defer w.op.Unlock()
	return w.withWritesPaused(ctx, func(o *origin, without []string) (err error) {
		o.base, err = w.addBase(more, without)
		return err
	})
}

// withWritesPaused runs f while nothing of the world is written, and gives what a world of its base
// takes over. f is told which files need not be copied. The caller holds op.
func (w *World) withWritesPaused(ctx context.Context, f func(o *origin, without []string) error) (o origin, err error) {
	w.mu.Lock()
	a, deleted := w.app, w.deleted
	m := w.manifest
	w.mu.Unlock()
	if deleted {
		return o, errWorldDeleted // another world may have its name and path
	}
	o = origin{seed: m.Seed, dialect: m.Dialect, config: m.Config, state: m.State}
	if a == nil {
		err = f(&o, nil)
		return o, err
	}
	err = a.Hold(ctx, func(whole bool) error {
		o.state = w.state(m.State.Touched, m.State.Life)
		if whole {
			return f(&o, []string{databaseLog})
		}
		return f(&o, nil)
	})
	return o, err
}

// addBase copies the data folder into a new base and into more folders.
func (w *World) addBase(more, without []string) (string, error) {
	return w.lab.bases.add(func(data string) error {
		return w.copyTo(append([]string{data}, more...), without...)
	})
}

// copyTo copies the data folder to each of some folders, at the same time.
func (w *World) copyTo(folders []string, without ...string) error {
	var g errgroup.Group
	for _, to := range folders {
		g.Go(func() error { return copyFolder(w.folder(), to, w.lab.immutable, without...) })
	}
	return g.Wait()
}
