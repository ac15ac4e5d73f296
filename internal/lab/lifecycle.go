package lab

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// Wake opens the world's app unless it is open.
func (w *World) Wake(ctx context.Context) error {
	w.op.Lock()
	defer w.op.Unlock()
	return w.wake(ctx)
}

// wake is Wake for a holder of op.
func (w *World) wake(ctx context.Context) error {
	w.mu.Lock()
	awake, deleted := w.app != nil, w.deleted
	w.used = w.lab.clock.Now()
	w.mu.Unlock()
	switch {
	case deleted:
		return errGone
	case awake:
		return nil
	}
	w.lab.closeOldest(w)
	return w.open(ctx)
}

// Sleep closes the world's app; the next request opens it again.
func (w *World) Sleep() error {
	w.op.Lock()
	defer w.op.Unlock()
	return w.alone(w.shut)
}

// Fork makes a world that begins as this one is now.
func (w *World) Fork(ctx context.Context, name string, expires time.Duration) (*World, error) {
	return w.lab.Create(ctx, NewWorld{Name: name, From: fromWorld + w.Name(), Expires: expires})
}

// copyBase makes a base of what the world is now, without stopping it.
func (w *World) copyBase(ctx context.Context) (o origin, err error) {
	w.op.Lock()
	defer w.op.Unlock()
	w.mu.Lock()
	a := w.app
	m := w.manifest
	w.mu.Unlock()
	o = origin{seed: m.Seed, dialect: m.Dialect, config: m.Config, state: m.State}
	o.base, err = w.lab.bases.add(func(data string) error {
		if a == nil {
			return copyFolder(w.Data(), data, w.lab.immutable)
		}
		return a.Hold(ctx, func() error {
			// The transaction may run again.
			if err := os.RemoveAll(data); err != nil {
				return err
			}
			o.state = w.state(m.State.Touched, m.State.Life)
			return copyFolder(w.Data(), data, w.lab.immutable)
		})
	})
	return o, err
}

// Reset goes back to the state the world was born in and keeps its address.
func (w *World) Reset(ctx context.Context) error {
	w.op.Lock()
	defer w.op.Unlock()
	return w.alone(func() error {
		if err := w.shut(); err != nil {
			return err
		}
		// The new folder takes the old one's place in two steps; where a process ends
		// between them the next one finds none and restores it.
		fresh, err := os.MkdirTemp(w.lab.unfinished(), "reset")
		if err != nil {
			return err
		}
		data, old := filepath.Join(fresh, dataFolder), filepath.Join(fresh, "old")
		if err := copyFolder(w.lab.bases.data(w.manifest.Base), data, w.lab.immutable); err != nil {
			return errors.Join(err, os.RemoveAll(fresh))
		}
		if err := errors.Join(os.Rename(w.Data(), old), os.Rename(data, w.Data())); err != nil {
			return err
		}
		w.mu.Lock()
		w.manifest.State = w.manifest.Birth
		w.mu.Unlock()
		w.setState(w.manifest.Birth)
		w.faults.Clear()
		w.inbox.Clear()
		w.journal.Reset()
		return errors.Join(w.wake(ctx), os.RemoveAll(fresh))
	})
}

// SetExpiry changes when the world ends; zero means never.
func (w *World) SetExpiry(at time.Time) error {
	w.op.Lock()
	defer w.op.Unlock()
	w.mu.Lock()
	w.manifest.Expires = at
	m := w.manifest
	w.mu.Unlock()
	return writeManifest(w.dir(), m)
}
