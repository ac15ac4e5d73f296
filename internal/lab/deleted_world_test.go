package lab

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// replaced deletes the world x and makes another of the name.
func replaced(t *testing.T, l *Lab) (before, now *World) {
	t.Helper()
	old, other := uint64(1), uint64(2)
	before = createEmpty(t, l, NewWorld{Name: "x", Seed: &old, Expires: time.Hour})
	if err := l.Delete("x"); err != nil {
		t.Fatal(err)
	}
	return before, createEmpty(t, l, NewWorld{Name: "x", Seed: &other})
}

// mustBe fails unless the lab has the world, open and with its folder.
func mustBe(t *testing.T, l *Lab, w *World) {
	t.Helper()
	found, err := l.World(w.Name())
	if err != nil || found != w {
		t.Errorf("world %s: %v, want the one that was made last", w.Name(), err)
	}
	if _, err := os.Stat(w.folder()); err != nil {
		t.Errorf("its folder: %v", err)
	}
	if err := w.Wake(t.Context()); err != nil {
		t.Errorf("it does not open: %v", err)
	}
}

// TestEndOfAReplacedWorld: who ends a world late, by its expiry or by a second deletion, does not end the one that has
// its name by then.
func TestEndOfAReplacedWorld(t *testing.T) {
	t.Parallel()
	l := openEmpty(t)
	before, now := replaced(t, l)
	if err := before.expireSleepOrWake(t.Context(), l.clock.Now().Add(2*time.Hour)); err != nil {
		t.Errorf("an expiry that comes late: %v", err)
	}
	mustBe(t, l, now)
	if ended, err := l.deleteWorld(before); ended || err != nil {
		t.Errorf("a deletion that comes late: %t, %v", ended, err)
	}
	mustBe(t, l, now)
	// One that sleeps and has a job that is due.
	before.manifest.Due = before.Clock().Now().Add(-time.Hour)
	if err := before.expireSleepOrWake(t.Context(), l.clock.Now()); err != nil {
		t.Errorf("a job of a world that is gone: %v", err)
	}
}

// TestDeletionsAtOnce: of many deletions and creations of one name at once each is done or refused, and what is left is
// whole.
func TestDeletionsAtOnce(t *testing.T) {
	t.Parallel()
	l := openEmpty(t)
	createEmpty(t, l, NewWorld{Name: "x"})
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			for range 15 {
				if err := l.Delete("x"); err != nil && !refusedAs(err, CodeNotFound) {
					t.Errorf("delete: %v", err)
				}
			}
		})
		group.Go(func() {
			for range 15 {
				_, err := l.Create(t.Context(), NewWorld{Name: "x", From: FromEmpty})
				if err != nil && !refusedAs(err, CodeConflict) && !refusedAs(err, CodeNotFound) {
					t.Errorf("create: %v", err)
				}
			}
		})
	}
	group.Wait()
	if err := l.Delete("x"); err != nil && !refusedAs(err, CodeNotFound) {
		t.Fatal(err)
	}
	mustBe(t, l, createEmpty(t, l, NewWorld{Name: "x"}))
}

// TestWorkOnADeletedWorld: what is asked of a world that is gone is refused, and nothing of the one that has its name
// now is taken or told.
func TestWorkOnADeletedWorld(t *testing.T) {
	t.Parallel()
	l := openEmpty(t)
	before, now := replaced(t, l)
	for name, do := range map[string]func() error{
		"fork":    func() error { _, err := before.Fork(t.Context(), "fork", 0); return err },
		"save":    func() error { _, err := before.Save(t.Context(), "saved"); return err },
		"export":  func() error { _, err := before.Export(t.Context()); return err },
		"reset":   func() error { return before.Reset(t.Context()) },
		"wake":    func() error { return before.Wake(t.Context()) },
		"sleep":   before.Sleep,
		"advance": func() error { _, err := before.AdvanceBy(t.Context(), time.Hour); return err },
		"clock":   func() error { return before.SetClock(t.Context(), ClockChange{Mode: clock.ModeFrozen}) },
		"env":     func() error { _, err := before.Env(); return err },
	} {
		if err := do(); !refusedAs(err, CodeNotFound) {
			t.Errorf("%s of a world that is gone: %v, want not found", name, err)
		}
	}
	if all := l.Worlds(); len(all) != 1 || len(l.Snapshots()) != 0 {
		t.Errorf("%d worlds and %d snapshots are there, want the one world", len(all), len(l.Snapshots()))
	}
	mustBe(t, l, now)
}

// TestTemplateThatIsReplaced: a base that was found is kept for who found it, whatever takes the template's place
// before its base is retained.
func TestTemplateThatIsReplaced(t *testing.T) {
	t.Parallel()
	l := openEmpty(t)
	b := l.bases
	add := func() string {
		base, err := b.add(func(data string) error { return os.MkdirAll(data, 0o700) })
		if err != nil {
			t.Fatal(err)
		}
		return base
	}
	await := func(so func() bool) {
		for done := false; !done; <-time.After(time.Millisecond) {
			b.mu.Lock()
			done = so()
			b.mu.Unlock()
		}
	}
	key := func(n int) templateKey { return templateKey{from: FromDemo, seedFile: fmt.Sprint(n)} }
	oldest, base := &template{base: add()}, add()
	b.templates = []*template{oldest}
	for n := range maxTemplates - 1 {
		b.templates = append(b.templates, &template{templateKey: key(-n - 1), made: l.clock.Now()})
	}
	var group sync.WaitGroup
	l.ready.mu.Lock() // removing the oldest base waits for this, between finding and retaining
	group.Go(func() {
		if found, err := b.template(t.Context(), key(0)); err != nil || found != base {
			t.Errorf("a template that is replaced meanwhile: %q, %v", found, err)
		}
	})
	var made *template
	await(func() bool { made = b.templates[maxTemplates-1]; return made.templateKey == key(0) })
	made.once.Do(func() { made.base = base }) // by another
	replaced := false
	group.Go(func() {
		for n := range maxTemplates {
			found, unused := b.find(key(n + 1))
			b.drop(unused...)
			b.mu.Lock()
			found.users-- // it is not made
			replaced = n == maxTemplates-1
			b.mu.Unlock()
		}
	})
	await(func() bool { return replaced || b.refs[base] == 0 })
	l.ready.mu.Unlock()
	group.Wait()
	if _, err := os.Stat(b.data(base)); err != nil || !b.held(base) {
		t.Errorf("its base: %v, held %t", err, b.held(base))
	}
	if err := b.release(base); err != nil || b.held(base) {
		t.Errorf("a base that was let go of: %v, held %t", err, b.held(base))
	}
	if b.held(oldest.base) {
		t.Error("the base of the oldest is kept")
	}
}

// TestTemplateThatFailed: what could not be made once is made when it can be.
func TestTemplateThatFailed(t *testing.T) {
	t.Parallel()
	l := openEmpty(t)
	if err := os.Rename(l.unfinished(), l.unfinished()+"-away"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Create(t.Context(), NewWorld{From: FromEmpty}); err == nil {
		t.Error("a world was made without a folder to make it in")
	}
	if err := os.Rename(l.unfinished()+"-away", l.unfinished()); err != nil {
		t.Fatal(err)
	}
	createEmpty(t, l, NewWorld{})
}

// TestSnapshotThatIsDeleted: a world is created from a snapshot or there is none; of many deletions one does it.
func TestSnapshotThatIsDeleted(t *testing.T) {
	t.Parallel()
	l := openEmpty(t)
	w := createEmpty(t, l, NewWorld{})
	for range 30 {
		s, err := w.Save(t.Context(), "saved")
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				o, err := l.findOrigin(t.Context(), NewWorld{From: "snapshot:saved"})
				if refusedAs(err, CodeNotFound) {
					return
				}
				if _, missing := os.Stat(l.bases.data(s.Base)); err != nil || missing != nil {
					t.Errorf("a snapshot that was found: %v", errors.Join(err, missing))
				}
				if err := l.bases.release(o.base); err != nil {
					t.Error(err)
				}
			})
		}
		var mu sync.Mutex
		deleted := 0
		for range 2 {
			group.Go(func() {
				err := l.DeleteSnapshot("saved")
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					deleted++
				} else if !refusedAs(err, CodeNotFound) {
					t.Errorf("delete a snapshot: %v", err)
				}
			})
		}
		group.Wait()
		if deleted != 1 || l.bases.held(s.Base) {
			t.Errorf("a snapshot was deleted %d times; its base is held %t", deleted, l.bases.held(s.Base))
		}
	}
}

// TestWorldOfAnEndingLab: a world whose creation is not done when the lab ends is not left behind, open, with a folder.
func TestWorldOfAnEndingLab(t *testing.T) {
	t.Parallel()
	l := openEmpty(t)
	base, err := l.bases.add(func(data string) error { return os.MkdirAll(data, 0o700) })
	if err != nil {
		t.Fatal(err)
	}
	l.ready.mu.Lock() // its files are moved under this lock, after its name was given to it
	var group sync.WaitGroup
	var failed error
	group.Go(func() { _, failed = l.addWorld(manifest{Name: "late", Base: base}, "", false) })
	for reserved := false; !reserved; <-time.After(time.Millisecond) {
		l.mu.Lock()
		reserved = l.reserved["late"]
		l.mu.Unlock()
	}
	l.mu.Lock()
	l.closing = true // as Close does first
	l.mu.Unlock()
	l.ready.mu.Unlock()
	group.Wait()
	if !refusedAs(failed, CodeConflict) || len(l.Worlds()) != 0 {
		t.Errorf("a world that comes too late: %v, %d worlds", failed, len(l.Worlds()))
	}
	if _, err := os.Stat(l.worldDir("late")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its folder: %v, want none", err)
	}
	l.mu.Lock()
	l.closing = false // for Close to do the rest
	l.mu.Unlock()
}

// TestRequestsOfAWorldThatEnds: a request that came by the lab's port ends before the stores are closed, if it
// ends soon.
func TestRequestsOfAWorldThatEnds(t *testing.T) {
	t.Parallel()
	l := openEmpty(t)
	w := createEmpty(t, l, NewWorld{Name: "x"})
	a, requestCtx, err := w.enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var asked error
	var group sync.WaitGroup
	group.Go(func() {
		defer w.leave()
		<-requestCtx.Done()
		for late := time.After(drainTime / 8); w.Awake(); <-time.After(time.Millisecond) {
			select {
			case <-late: // the stores are kept
				asked = a.World().DB.QueryRow(t.Context(), `SELECT 1`).Scan(new(int))
				return
			default:
			}
		}
		asked = errors.New("the world fell asleep")
	})
	if err := l.Delete("x"); err != nil {
		t.Error(err)
	}
	group.Wait()
	if asked != nil {
		t.Errorf("what the request asked before it ended: %v", asked)
	}
}
