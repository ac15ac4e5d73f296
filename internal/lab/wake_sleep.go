package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
)

// Wake opens the world's app unless it is open.
func (w *World) Wake(ctx context.Context) error {
	w.op.Lock()
	defer w.op.Unlock()
	w.mu.Lock()
	w.byJob = false
	w.mu.Unlock()
	return w.wake(ctx)
}

// wakeForJob is Wake for a job that is due: the world falls asleep again when nothing else asks it.
func (w *World) wakeForJob(ctx context.Context) error {
	w.op.Lock()
	defer w.op.Unlock()
	w.mu.Lock()
	w.byJob = w.byJob || w.app == nil
	w.mu.Unlock()
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
		return errWorldDeleted
	case awake:
		return nil
	}
	return w.openApp(ctx)
}

// Sleep closes the world's app; the next request opens it again.
func (w *World) Sleep() error {
	w.op.Lock()
	defer w.op.Unlock()
	if w.isDeleted() {
		return errWorldDeleted
	}
	return w.drainAndRun(w.sleep)
}

// sleep is Sleep for a holder of op while no request is in flight.
func (w *World) sleep() error {
	w.noteDue()
	return w.closeApp()
}

// noteDue keeps when the next job is due, for who wakes worlds that sleep. Where that cannot be read the world is woken
// to look again: it would sleep on for ever with a job that waits.
func (w *World) noteDue() {
	w.mu.Lock()
	a := w.app
	w.mu.Unlock()
	if a == nil {
		return
	}
	due, ok, err := a.World().Jobs.NextDue(context.Background())
	switch {
	case err != nil:
		due = time.Unix(0, 0)
		w.lab.options.Log.Error("next job of world not known; the world is woken to look again", "world", w.Name(),
			"after", w.postponeWake().String(), "error", err.Error())
	case !ok:
		due = time.Time{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.manifest.Due = due
	if err == nil {
		w.failures, w.wakeAfter = 0, time.Time{}
	}
}

// A world whose jobs cannot be read, or that cannot be opened for them, is tried again after firstPause, and each time
// after twice as long, up to maxPause.
const (
	firstPause = 5 * time.Second
	maxPause   = 5 * time.Minute
)

// postponeWake puts off waking the world for its jobs and returns for how long.
func (w *World) postponeWake() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	pause := min(maxPause, firstPause<<min(w.failures, 10))
	w.failures++
	w.wakeAfter = w.lab.clock.Now().Add(pause)
	return pause
}

// openApp builds the app. The caller holds op.
func (w *World) openApp(ctx context.Context) error {
	if err := w.lab.opening.Acquire(ctx, 1); err != nil {
		return err
	}
	defer w.lab.opening.Release(1)
	w.setOpening(true)
	defer w.setOpening(false)
	w.lab.closeOldest(w) // here, where the others that are being opened are few and known
	ctx = context.WithoutCancel(ctx)
	a, err := w.buildApp(ctx, w.folder(), w.Clock(), w.ids)
	if err != nil {
		return err
	}
	return w.startApp(ctx, a)
}

// setOpening says whether the app is being opened, for those who count the open ones.
func (w *World) setOpening(is bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.opening = is
}

// noteCall is told of every call on the world's socket.
func (w *World) noteCall() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.called, w.used = true, w.lab.clock.Now()
}

// buildApp makes the app on a data folder. Nothing runs yet.
func (w *World) buildApp(ctx context.Context, folder string, v *clock.Virtual, source *ids.Source) (*app.App, error) {
	config, err := w.config(folder)
	if err != nil {
		return nil, err
	}
	a, err := app.New(ctx, app.Options{
		Config: config, Version: w.lab.options.Version, Clock: v, IDs: source, Memory: w.lab.memory,
		Journal: w.journal, FaultRules: w.faults, Lab: w.lab.control, LabWorld: w.Name(), Called: w.noteCall,
		ProofSalt: w.manifest.ProofSalt, NoHTTP: true, NoSync: true, LogTo: w.lab.options.LogTo, ThrowAway: throwAway,
	})
	if err != nil {
		return nil, fmt.Errorf("open world %s: %w", w.Name(), err)
	}
	return a, nil
}

// startApp starts the app and lets requests in.
func (w *World) startApp(ctx context.Context, a *app.App) error {
	if err := a.Start(ctx); err != nil {
		return errors.Join(fmt.Errorf("start world %s: %w", w.Name(), err), a.Close())
	}
	a.World().Jobs.Await(a.Settle)
	w.mu.Lock()
	known := w.manifest.Open
	w.app, w.manifest.Open = a, true
	m := w.manifest
	w.mu.Unlock()
	if known {
		return nil
	}
	return writeManifest(w.dir(), m)
}

// closeApp closes the app and keeps where the world stands. The caller holds op, and no
// request is in flight that ended in time.
func (w *World) closeApp() error {
	dropped := errors.Join(w.prebuilt.drop(), w.dropForkBase())
	w.mu.Lock()
	a := w.app
	w.app, w.called = nil, false
	w.mu.Unlock()
	if a == nil {
		return dropped
	}
	err := a.Close()
	w.faults.Provide(w.lab.Catalogue) // that of the app would keep it in memory
	w.mu.Lock()
	w.manifest.State, w.manifest.Open = w.state(w.manifest.State.Touched, w.manifest.State.Life), false
	m := w.manifest
	w.mu.Unlock()
	return errors.Join(dropped, err, writeManifest(w.dir(), m))
}

// close ends the world's address and app for this process.
func (w *World) close() error {
	w.op.Lock()
	defer w.op.Unlock()
	return w.closeForGood()
}

// closeForGood is close for a holder of op.
func (w *World) closeForGood() error {
	w.mu.Lock()
	w.deleted = true
	w.signal()
	w.mu.Unlock()
	w.cancelRequests()
	w.journal.Close()
	w.inbox.Clear() // what it kept counts no longer
	err := w.server.Shutdown()
	w.drained() // those that came by the lab's port, and were told to end
	w.noteDue()
	return errors.Join(err, w.server.Close(), w.closeApp())
}
