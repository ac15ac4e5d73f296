package lab

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
)

// prebuiltApp is an app on a copy of what the world was created with, built and not started.
type prebuiltApp struct {
	folder string // its path
	app    *app.App
	clock  *clock.Virtual
	ids    *ids.Source
}

func (s *prebuiltApp) close() error { return errors.Join(s.app.Close(), os.RemoveAll(s.folder)) }

// prebuiltApps is the next app of a world that is reset again and again: making one takes most
// of the time of a reset, and can be done before.
type prebuiltApps struct {
	making sync.WaitGroup
	ready  *prebuiltApp
	// used is the folder of before a reset, which the next app is made of; empty
	// when there is none.
	used string
}

// take waits for the app that is being made; nil when there is none.
func (s *prebuiltApps) take() *prebuiltApp {
	s.making.Wait()
	ready := s.ready
	s.ready = nil
	return ready
}

// drop gives up the app and the folder that was used before.
func (s *prebuiltApps) drop() error {
	var failed []error
	if ready := s.take(); ready != nil {
		failed = append(failed, ready.close())
	}
	if s.used != "" {
		failed = append(failed, os.RemoveAll(s.used))
	}
	s.used = ""
	return errors.Join(failed...)
}

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

// preparePrebuiltApp makes the next app out of a folder that was used before. Where it
// fails, the next reset meets the same and says so.
func (w *World) preparePrebuiltApp(ctx context.Context, used string) {
	var err error
	w.prebuilt.ready, err = w.newPrebuiltApp(ctx, used)
	w.warn("world for the next reset not ready", err)
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

// newPrebuiltApp copies the base, into the given folder or a new one, and builds an app on
// it. Until it begins, its clock stands where it was when the world was created.
func (w *World) newPrebuiltApp(ctx context.Context, used string) (*prebuiltApp, error) {
	w.mu.Lock()
	m := w.manifest
	w.mu.Unlock()
	s := &prebuiltApp{
		folder: filepath.Join(w.dir(), dataFolder+"-"+strings.ToLower(w.lab.ids.Hex(8))),
		clock:  clock.NewVirtual(m.Initial.Now), ids: w.idsOf(m.Initial),
	}
	err := w.copyBaseTo(m.Base, s.folder, used)
	if err == nil {
		s.app, err = w.buildApp(ctx, s.folder, s.clock, s.ids)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.folder))
	}
	return s, nil
}

// copyBaseTo copies the base to a folder, or makes it of one that was used before.
func (w *World) copyBaseTo(base, folder, used string) error {
	data := w.lab.bases.data(base)
	if used != "" && os.Rename(used, folder) == nil && refillFolder(data, folder, w.lab.immutable) == nil {
		return nil
	}
	// A folder that cannot be filled again is of no use.
	if err := errors.Join(os.RemoveAll(used), os.RemoveAll(folder)); err != nil {
		return err
	}
	return copyFolder(data, folder, w.lab.immutable)
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
