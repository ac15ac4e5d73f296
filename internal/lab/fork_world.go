package lab

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// Fork makes a world that begins as this one is now.
func (w *World) Fork(ctx context.Context, name string, expires time.Duration) (*World, error) {
	n := NewWorld{Name: name, From: fromWorld + w.Name(), Expires: expires}
	if err := n.check(w.lab.options.Config); err != nil {
		return nil, err
	}
	o, err := w.forkOrigin(ctx)
	if err != nil {
		return nil, err
	}
	return w.lab.createFrom(ctx, n, n.apply(w.lab, o))
}

// forkBase is the base of a world's last fork. Tests fork one world that they prepared
// again and again: as long as it does not change, their worlds are created of one base.
type forkBase struct {
	base string // empty for none
	// state is what the files were when the base was made.
	state string
}

// forkOrigin finds or makes the base of a fork, which is held for the caller.
func (w *World) forkOrigin(ctx context.Context) (origin, error) {
	w.op.Lock()
	defer w.op.Unlock()
	return w.withWritesPaused(ctx, func(o *origin, without []string) error {
		state, err := w.fileState()
		if err != nil {
			return err
		}
		if w.forked.base != "" && w.forked.state == state {
			o.base, o.again = w.forked.base, true
			w.lab.bases.retain(o.base)
			return nil
		}
		if err := w.dropForkBase(); err != nil {
			return err
		}
		return w.copyForkBase(o, state, without)
	})
}

// copyForkBase makes a base and, at the same time, the copy that the fork begins with.
func (w *World) copyForkBase(o *origin, state string, without []string) error {
	ready, err := w.lab.ready.folder()
	if err != nil {
		return err
	}
	if o.base, err = w.addBase([]string{ready}, without); err != nil {
		return errors.Join(err, os.RemoveAll(filepath.Dir(ready)))
	}
	w.lab.ready.add(o.base, ready)
	if state != "" {
		w.lab.bases.retain(o.base)
		w.forked = forkBase{base: o.base, state: state}
	}
	return nil
}

// dropForkBase lets go of the base of the last fork. The caller holds op.
func (w *World) dropForkBase() error {
	base := w.forked.base
	w.forked = forkBase{}
	if base == "" {
		return nil
	}
	return w.lab.bases.release(base)
}
