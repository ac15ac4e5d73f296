package lab

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthapi "google.golang.org/grpc/health/grpc_health_v1"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/deliver"
)

// TestIdleWorldsSleep: a world that is not asked falls asleep although its sweeps run every minute, and they do not
// wake it: a thousand worlds would wake each other's memory up forever.
func TestIdleWorldsSleep(t *testing.T) {
	t.Parallel()
	l := openEmpty(t)
	w := createEmpty(t, l, NewWorld{Name: "idle"})
	later := l.clock.Now().Add(l.options.Idle + time.Second)
	if err := w.expireSleepOrWake(t.Context(), later); err != nil {
		t.Fatal(err)
	}
	if w.Awake() {
		t.Fatal("it is awake after the time that a world stays open")
	}
	w.Clock().Advance(48 * time.Hour)
	if err := w.expireSleepOrWake(t.Context(), later.Add(48*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if w.Awake() {
		t.Error("a sweep that is due woke it")
	}
}

// TestWorldsWakeTogether: as many worlds are open as may be, also when all of them are asked at the same moment. One
// that is being opened on each processor cannot be closed yet.
func TestWorldsWakeTogether(t *testing.T) {
	t.Parallel()
	l := openEmpty(t)
	l.options.MaxAwake = 2
	most := l.options.MaxAwake + runtime.GOMAXPROCS(0)
	var worlds []*World
	for range most + 4 {
		worlds = append(worlds, createEmpty(t, l, NewWorld{}))
	}
	for _, w := range worlds {
		if err := w.Sleep(); err != nil {
			t.Fatal(err)
		}
	}
	var group errgroup.Group
	for _, w := range worlds {
		group.Go(func() error { return w.Wake(t.Context()) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	awake := 0
	for _, w := range worlds {
		if w.Awake() {
			awake++
		}
	}
	if awake > most {
		t.Errorf("%d worlds are open, want %d at most", awake, most)
	}
}

// TestSnapshotsAreCounted: snapshots that are being made count among those that there may be, and take no place of a
// world.
func TestSnapshotsAreCounted(t *testing.T) {
	t.Parallel()
	l := openEmpty(t)
	w := createEmpty(t, l, NewWorld{})
	l.options.MaxWorlds = 2
	if err := errors.Join(l.reserveSnapshot("one"), l.reserveSnapshot("two")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Save(t.Context(), "three"); !refusedAs(err, CodeExhausted) {
		t.Errorf("a third of two snapshots: %v, want that there are too many", err)
	}
	createEmpty(t, l, NewWorld{Name: "second"})
	if _, err := l.Create(t.Context(), NewWorld{From: FromEmpty}); !refusedAs(err, CodeExhausted) {
		t.Errorf("a third of two worlds: %v, want that there are too many", err)
	}
}

// TestCalledWorldsStayAwake: a program that calls on the socket would find it closed, for nothing that it
// can do wakes the world.
func TestCalledWorldsStayAwake(t *testing.T) {
	t.Parallel()
	l := openEmpty(t)
	w := createEmpty(t, l, NewWorld{Name: "called"})
	later := l.clock.Now().Add(l.options.Idle + time.Hour)
	look := func() bool {
		t.Helper()
		if err := w.expireSleepOrWake(t.Context(), later); err != nil {
			t.Fatal(err)
		}
		return w.Awake()
	}

	conn, err := grpc.NewClient("unix:"+w.socket(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := healthapi.NewHealthClient(conn).Check(t.Context(), &healthapi.HealthCheckRequest{}); err != nil {
		t.Fatalf("a call on the socket: %v", err)
	}
	if !look() {
		t.Error("it fell asleep although its socket is called")
	}

	if err := errors.Join(w.Sleep(), w.Wake(t.Context())); err != nil {
		t.Fatal(err)
	}
	if look() {
		t.Error("it stays awake although nothing called it since it was told to sleep")
	}
}

// TestDueJobsAfterARestart: a job that waited when the lab ended, or was killed, runs at its time although no request
// comes.
func TestDueJobsAfterARestart(t *testing.T) {
	t.Parallel()
	for name, killed := range map[string]bool{"ended": false, "killed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			l, err := Open(t.Context(), Options{Dir: dir, Config: app.DefaultConfig(), Version: "test"})
			if err != nil {
				t.Fatal(err)
			}
			at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
			w := createEmpty(t, l, NewWorld{Name: "waits", Clock: ClockChange{Mode: clock.ModeFrozen, Now: &at}})
			// Nothing listens there: it is tried again some seconds later, which do not pass.
			inside := w.app.World()
			err = inside.DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
				_, err := inside.Deliver.Enqueue(ctx, tx, deliver.Message{Service: "test", URL: "https://127.0.0.1:1/"})
				return err
			})
			if err := errors.Join(err, inside.Jobs.Settle(t.Context()), l.Close()); err != nil {
				t.Fatal(err)
			}
			if killed {
				m, err := readManifest(w.dir())
				if err != nil {
					t.Fatal(err)
				}
				m.Open, m.Due = true, time.Time{}
				if err := writeManifest(w.dir(), m); err != nil {
					t.Fatal(err)
				}
			}
			if l, err = Open(t.Context(), Options{Dir: dir, Config: app.DefaultConfig(), Version: "test"}); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = l.Close() })
			if w, err = l.World("waits"); err != nil {
				t.Fatal(err)
			}
			w.Clock().Advance(time.Hour)
			if err := w.expireSleepOrWake(t.Context(), l.clock.Now()); err != nil {
				t.Fatal(err)
			}
			if !w.Awake() {
				t.Error("it sleeps although a job is due")
			}
		})
	}
}

// TestSleepingWorldsKeepNoApp: what a world asleep still holds on to would keep a whole app in memory.
func TestSleepingWorldsKeepNoApp(t *testing.T) {
	t.Parallel()
	l := openEmpty(t)
	w := createEmpty(t, l, NewWorld{Name: "asleep"})
	a := weak.Make(w.app)
	services := weak.Make(w.app.World())
	if err := w.Sleep(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		runtime.GC()
	}
	if a.Value() != nil {
		t.Error("the app is kept")
	}
	if services.Value() != nil {
		t.Error("what the services stand on is kept")
	}
}

// TestJobsWakeForTheirTimeOnly: a world that a job woke and that was not asked falls asleep again when the job has run,
// long before one that is asked would.
func TestJobsWakeForTheirTimeOnly(t *testing.T) {
	t.Parallel()
	l := openEmpty(t)
	w := createEmpty(t, l, NewWorld{Name: "job"})
	wokenThenAsked := func(asked bool) (awake bool) {
		t.Helper()
		if err := w.Sleep(); err != nil {
			t.Fatal(err)
		}
		w.mu.Lock()
		w.manifest.Due = w.Clock().Now()
		w.mu.Unlock()
		now := l.clock.Now()
		if err := w.expireSleepOrWake(t.Context(), now); err != nil {
			t.Fatal(err)
		}
		if !w.Awake() {
			t.Fatal("a job that is due did not wake it")
		}
		if asked {
			if _, _, err := w.enter(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.leave()
		}
		if err := w.expireSleepOrWake(t.Context(), l.clock.Now().Add(2*freeAfter)); err != nil {
			t.Fatal(err)
		}
		return w.Awake()
	}
	if wokenThenAsked(false) {
		t.Error("it stays awake as if it had been asked")
	}
	if !wokenThenAsked(true) {
		t.Error("it fell asleep although it was asked a moment ago")
	}
}

// TestJobsThatCannotBeRead: a world falls asleep although it is not known when its next job is due, and is woken to
// look again, after ever longer pauses while that does not help.
func TestJobsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	var log identitytest.Log
	l, err := Open(t.Context(), Options{
		Dir: t.TempDir(), Config: app.DefaultConfig(), Version: "test", Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	w := createEmpty(t, l, NewWorld{Name: "unreadable", Clock: ClockChange{Mode: clock.ModeFrozen}})
	setDue := func(due any) {
		t.Helper()
		err := w.app.World().DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			_, err := tx.Exec(ctx, `UPDATE stoa_jobs SET claim_at = $1, due = $1`, due)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err = w.app.World().DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		_, err := w.app.World().Deliver.Enqueue(ctx, tx, deliver.Message{Service: "test", URL: "https://127.0.0.1:1/"})
		return err
	})
	if err := errors.Join(err, w.app.World().Jobs.Settle(t.Context())); err != nil {
		t.Fatal(err)
	}
	setDue("x")
	look := func(after time.Duration) bool {
		t.Helper()
		if err := w.expireSleepOrWake(t.Context(), l.clock.Now().Add(after)); err != nil {
			t.Fatal(err)
		}
		return w.Awake()
	}
	for _, pause := range []time.Duration{firstPause, 2 * firstPause} {
		_ = w.Sleep() // the queue tells that it could not read the jobs either
		if w.Awake() {
			t.Fatal("it is awake, want that it sleeps")
		}
		if want := "after=" + pause.String(); !strings.Contains(log.String(), want) ||
			!strings.Contains(log.String(), "next job of world not known") {
			t.Errorf("the log is %q, want %q", log.String(), want)
		}
		if look(pause - 2*time.Second) {
			t.Fatalf("it was woken before %s had passed", pause)
		}
		if !look(pause) {
			t.Fatalf("it sleeps on after %s", pause)
		}
	}
	setDue(database.Time(w.Clock().Now().Add(time.Hour)))
	_ = w.Sleep() // as above, where no cycle of the queue has read them since
	if look(maxPause) {
		t.Error("it was woken although the next job is known and not due")
	}
}
