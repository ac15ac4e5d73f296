package world_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database/folderlock"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/world"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, o world.Options) *world.World {
	t.Helper()
	w, err := world.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.DB.Migrate(t.Context(), world.Migrations()...); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestWorldsShareNothing runs two worlds in one process and uses the same
// names in both.
func TestWorldsShareNothing(t *testing.T) {
	a := open(t, world.Options{Dir: t.TempDir(), Clock: clock.NewVirtual(time.Unix(0, 0))})
	b := open(t, world.Options{Dir: t.TempDir(), Clock: clock.NewVirtual(time.Unix(1e9, 0))})

	window := limit.Window{Name: "w", Limit: 1, Per: time.Minute}
	for name, w := range map[string]*world.World{"a": a, "b": b} {
		if _, err := w.Limits.Take(t.Context(), window, "key", 1); err != nil {
			t.Errorf("world %s: %v, want its own budget", name, err)
		}
		if _, err := w.DB.Exec(t.Context(), `CREATE TABLE only_once (x BIGINT)`); err != nil {
			t.Errorf("world %s: %v, want its own database", name, err)
		}
	}
	sealed := a.Seal.Seal([]byte("x"), nil)
	if _, err := b.Seal.Open(sealed, nil); err == nil {
		t.Error("one world opened what the other sealed")
	}
	if a.Clock.Now().Equal(b.Clock.Now()) {
		t.Error("both worlds tell the same time")
	}
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestFolderHasOneOwner(t *testing.T) {
	dir := t.TempDir()
	w := open(t, world.Options{Dir: dir})
	_, err := world.Open(t.Context(), world.Options{Dir: dir})
	var owned *folderlock.OwnedError
	if !errors.As(err, &owned) || owned.PID != os.Getpid() {
		t.Errorf("second open: %v, want the owner's pid", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := open(t, world.Options{Dir: dir}).Close(); err != nil {
		t.Errorf("after close: %v", err)
	}
}

func TestAFailedOpenLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := os.WriteFile(filepath.Join(dir, "root.key"), []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := world.Open(ctx, world.Options{Dir: dir}); err == nil {
		t.Fatal("a damaged root key was accepted")
	}
	lock, err := folderlock.Open(dir)
	if err != nil {
		t.Fatalf("the folder is still owned: %v", err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
}

func TestBlueprintNeedsNoFolder(t *testing.T) {
	t.Parallel()
	w := world.Blueprint(world.Options{})
	if w.Clock == nil || w.IDs == nil || w.Dialect == nil || w.Telemetry == nil || w.URL(t.Context()) != "" ||
		w.Name != "main" {
		t.Errorf("blueprint = %+v", w)
	}
}

// TestCountersSurviveARestart checks that stopping and starting again does not
// give a caller a fresh budget.
func TestCountersSurviveARestart(t *testing.T) {
	dir, clk := t.TempDir(), clock.NewVirtual(time.Unix(1e9, 0))
	window := limit.Window{Name: "w", Limit: 1, Per: time.Hour}
	for run, want := range []bool{true, false} {
		w := open(t, world.Options{Dir: dir, Clock: clk})
		if err := w.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		decision, err := w.Limits.Take(t.Context(), window, "key", 1)
		if decision.Allowed != want {
			t.Errorf("run %d: allowed %v (%v), want %v", run, decision.Allowed, err, want)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
