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

// preparePrebuiltApp makes the next app out of a folder that was used before. Where it
// fails, the next reset meets the same and says so.
func (w *World) preparePrebuiltApp(ctx context.Context, used string) {
	var err error
	w.prebuilt.ready, err = w.newPrebuiltApp(ctx, used)
	w.warn("world for the next reset not ready", err)
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
