package lab

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"
)

// Fork makes a world that begins as this one is now.
func (w *World) Fork(ctx context.Context, name string, expires time.Duration) (*World, error) {
	return w.lab.Create(ctx, NewWorld{Name: name, From: fromWorld + w.Name(), Expires: expires})
}

// copyBase makes a base of what the world is now, without stopping it, and copies more
// of the same in the given folders.
func (w *World) copyBase(ctx context.Context, more ...string) (o origin, err error) {
	w.op.Lock()
	defer w.op.Unlock()
	w.mu.Lock()
	a := w.app
	m := w.manifest
	w.mu.Unlock()
	o = origin{seed: m.Seed, dialect: m.Dialect, config: m.Config, state: m.State}
	o.base, err = w.lab.bases.add(func(data string) error {
		folders := append([]string{data}, more...)
		if a == nil {
			return w.copyTo(folders)
		}
		return a.Hold(ctx, func(whole bool) error {
			o.state = w.state(m.State.Touched, m.State.Life)
			if whole {
				return w.copyTo(folders, databaseLog)
			}
			return w.copyTo(folders)
		})
	})
	return o, err
}

// copyTo copies the data folder to each of some folders, at the same time.
func (w *World) copyTo(folders []string, without ...string) error {
	var g errgroup.Group
	for _, to := range folders {
		g.Go(func() error { return copyFolder(w.folder(), to, w.lab.immutable, without...) })
	}
	return g.Wait()
}
