package lab

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/clock"
)

// openEmpty opens a lab for tests that look inside.
func openEmpty(t *testing.T) *Lab {
	t.Helper()
	l, err := Open(t.Context(), Options{Dir: t.TempDir(), Config: app.DefaultConfig(), Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("close the lab: %v", err)
		}
	})
	return l
}

func createEmpty(t *testing.T, l *Lab, n NewWorld) *World {
	t.Helper()
	if n.From == "" {
		n.From = FromEmpty
	}
	w, err := l.Create(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// refusedAs reports whether the lab refused something with a code.
func refusedAs(err error, code Code) bool {
	var refused *Error
	return errors.As(err, &refused) && refused.Code == code
}

// TestEndOfTime: no move passes the last time, and a world that is there can be kept.
func TestEndOfTime(t *testing.T) {
	t.Parallel()
	l := openEmpty(t)
	at := time.Date(8999, 1, 1, 0, 0, 0, 0, time.UTC)
	w := createEmpty(t, l, NewWorld{Clock: ClockChange{Mode: clock.ModeFrozen, Now: &at}})
	if _, err := w.AdvanceBy(t.Context(), 100_000*24*time.Hour); !refusedAs(err, CodeInvalid) {
		t.Errorf("273 years from the year 8999: %v, want it refused", err)
	}
	zoned := clock.Last().Add(time.Hour).In(time.FixedZone("", -12*3600)) // the year 9000 there
	if _, err := w.Advance(t.Context(), zoned); !refusedAs(err, CodeInvalid) {
		t.Errorf("beyond the end in another zone: %v, want it refused", err)
	}
	if err := w.SetClock(t.Context(), ClockChange{Now: &zoned}); !refusedAs(err, CodeInvalid) {
		t.Errorf("set beyond the end in another zone: %v, want it refused", err)
	}
	if moved, err := w.Advance(t.Context(), clock.Last()); err != nil || !moved.To.Equal(clock.Last()) {
		t.Errorf("to the end: %v, %v", moved.To, err)
	}
	if _, err := w.Settle(t.Context()); err != nil {
		t.Errorf("settle at the end: %v", err)
	}
	if err := w.Sleep(); err != nil {
		t.Errorf("sleep at the end: %v", err)
	}
}

// TestClockOfALongSleep: a running clock is where its rate took it while no process had the world.
func TestClockOfALongSleep(t *testing.T) {
	t.Parallel()
	l := openEmpty(t)
	w := createEmpty(t, l, NewWorld{})
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for hours, want := range map[int]time.Time{30: at.AddDate(0, 0, 30*3600), 10_000: clock.Last()} {
		since := l.clock.Now().Add(-time.Duration(hours) * time.Hour)
		w.setClock(state{Mode: clock.ModeRunning, Now: at, Since: since, Rate: 86400})
		if got := w.Clock().Now(); got.Before(want) || got.After(want.AddDate(10, 0, 0)) {
			t.Errorf("after %d hours at a day a second it is %v, want %v", hours, got, want)
		}
	}
}

// archiveOf is an archive of nothing with a manifest.
func archiveOf(t testing.TB, manifest string) *bytes.Buffer {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	writer := tar.NewWriter(zipped)
	err := writer.WriteHeader(&tar.Header{Name: manifestFile, Mode: 0o600, Size: int64(len(manifest))})
	if err == nil {
		_, err = writer.Write([]byte(manifest))
	}
	if err := errors.Join(err, writer.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	return &out
}

// TestStateOfAnArchive: every member of a state that another machine wrote is looked at.
func TestStateOfAnArchive(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		state state
		ok    bool
	}{
		"frozen":           {state{Mode: clock.ModeFrozen, Now: now, Drawn: 1000, Life: 3, Touched: true}, true},
		"real":             {state{Mode: clock.ModeReal, Now: now, Rate: 1}, true},
		"running":          {state{Mode: clock.ModeRunning, Now: now, Rate: maxRate}, true},
		"no mode":          {state{Now: now}, false},
		"unknown mode":     {state{Mode: "backwards", Now: now}, false},
		"negative rate":    {state{Mode: clock.ModeRunning, Now: now, Rate: -1}, false},
		"no rate":          {state{Mode: clock.ModeRunning, Now: now}, false},
		"high rate":        {state{Mode: clock.ModeRunning, Now: now, Rate: 2 * maxRate}, false},
		"rate of a frozen": {state{Mode: clock.ModeFrozen, Now: now, Rate: -1}, false},
		"no time":          {state{Mode: clock.ModeFrozen}, false},
		"far time":         {state{Mode: clock.ModeFrozen, Now: clock.Last().Add(time.Second)}, false},
		"identifiers":      {state{Mode: clock.ModeFrozen, Now: now, Drawn: 1 << 63}, false},
	} {
		text, err := json.Marshal(archiveManifest{Version: archiveVersion, Dialect: "sdk", State: c.state})
		if err != nil {
			t.Fatal(err)
		}
		_, err = readArchive(archiveOf(t, string(text)), t.TempDir(), app.DefaultConfig())
		if c.ok && err != nil || !c.ok && !refusedAs(err, CodeInvalid) {
			t.Errorf("%s: %v, want accepted %t", name, err, c.ok)
		}
	}
}

// TestNamesGiven: a name that was given is taken or refused, whatever it begins with; one of an archive gives way to
// another where it is taken, however many arrive together.
func TestNamesGiven(t *testing.T) {
	t.Parallel()
	l := openEmpty(t)
	w := createEmpty(t, l, NewWorld{Name: "w-mine"})
	if _, err := l.Create(t.Context(), NewWorld{Name: w.Name(), From: FromEmpty}); !refusedAs(err, CodeConflict) {
		t.Errorf("a second world w-mine: %v, want it refused and not of another name", err)
	}
	w = createEmpty(t, l, NewWorld{Name: "mine"})
	file, err := w.Export(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	archive, err := io.ReadAll(file)
	if err := errors.Join(err, file.Close(), l.Delete("mine")); err != nil {
		t.Fatal(err)
	}
	const imports = 8
	var group, ready sync.WaitGroup
	ready.Add(imports)
	most := len(archive) - 64
	for range imports {
		group.Go(func() {
			from := io.MultiReader(bytes.NewReader(archive[:most]), &lastTogether{
				Reader: bytes.NewReader(archive[most:]), ready: &ready,
			})
			if _, err := l.Import(t.Context(), NewWorld{}, from); err != nil {
				t.Errorf("one of several imports at once: %v", err)
			}
		})
	}
	group.Wait()
	if _, err := l.World("mine"); err != nil {
		t.Errorf("none of them has the name of the archive: %v", err)
	}
}

// lastTogether is the end of a file that several read: it comes for all of them at once.
type lastTogether struct {
	io.Reader
	once  sync.Once
	ready *sync.WaitGroup
}

func (r *lastTogether) Read(p []byte) (int, error) {
	r.once.Do(func() {
		r.ready.Done()
		r.ready.Wait()
	})
	return r.Reader.Read(p)
}
