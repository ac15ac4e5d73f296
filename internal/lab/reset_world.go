package lab

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// Reset goes back to the state the world was created in and keeps its address. Requests
// are answered by what was there until what comes is ready.
func (w *World) Reset(ctx context.Context) error {
	w.op.Lock()
	defer w.op.Unlock()
	w.mu.Lock()
	deleted, awake := w.deleted, w.app != nil
	w.mu.Unlock()
	if deleted {
		return errWorldDeleted
	}
	if !awake {
		w.lab.closeOldest(w)
	}
	ctx = context.WithoutCancel(ctx)
	next := w.prebuilt.take()
	used := w.prebuilt.used
	w.prebuilt.used = ""
	if next == nil {
		var err error
		if next, err = w.newPrebuiltApp(ctx, ""); err != nil {
			return err
		}
	}
	// The next one is made meanwhile: who resets a world resets it again.
	w.prebuilt.making.Go(func() { w.preparePrebuiltApp(ctx, used) })
	old := w.folder()
	if err := w.drainAndRun(func() error { return w.exchange(ctx, next) }); err != nil {
		return err
	}
	if old == w.Data() { // the first one has the usual path itself
		old += "-old"
		if err := os.Rename(w.Data(), old); err != nil {
			return err
		}
	}
	w.prebuilt.used = old
	return linkFolder(w.Data(), next.folder)
}

func (w *World) warn(text string, err error) {
	if err != nil {
		w.lab.options.Log.Warn(text, "world", w.Name(), "error", err.Error())
	}
}

// exchange ends the app and begins the prebuilt one in its place. The manifest says in one
// step which folder counts: a process that ends before leaves the world as it was.
func (w *World) exchange(ctx context.Context, next *prebuiltApp) error {
	w.mu.Lock()
	old := w.app
	w.app = nil
	w.mu.Unlock()
	err := w.dropForkBase()
	if old != nil {
		err = errors.Join(err, old.Close())
	}
	w.mu.Lock()
	w.manifest.State, w.manifest.Open = w.manifest.Initial, true
	w.manifest.State.Since = w.lab.clock.Now()
	w.manifest.Data, w.used = filepath.Base(next.folder), w.lab.clock.Now()
	m := w.manifest
	w.mu.Unlock()
	if err := errors.Join(err, writeManifest(w.dir(), m)); err != nil {
		return errors.Join(err, next.app.Close())
	}
	w.faults.Clear()
	w.inbox.Clear()
	w.journal.Reset()
	w.clock.Store(next.clock)
	w.setClock(m.State)
	w.ids = next.ids
	return w.startApp(ctx, next.app)
}

// linkFolder has a path lead to a folder beside it.
func linkFolder(path, folder string) error {
	part := folder + ".link"
	return errors.Join(os.Symlink(filepath.Base(folder), part), os.Rename(part, path))
}

// sweepFolders removes data folders that an earlier process left and has the usual
// path lead to the one that counts.
func (l *Lab) sweepFolders(m manifest) error {
	dir := l.worldDir(m.Name)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var failed []error
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), dataFolder) && e.Name() != m.folder() {
			failed = append(failed, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	if m.Data != "" {
		failed = append(failed, linkFolder(filepath.Join(dir, dataFolder), filepath.Join(dir, m.Data)))
	}
	return errors.Join(failed...)
}
