package lab_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/lab/labtest"
	"stoa.dev/stoa/internal/platform/clock"
)

// templates keeps worlds made from nothing, for all tests of the process.
var templates string

func TestMain(m *testing.M) { labtest.Main(m, &templates) }

func open(t *testing.T, dir string) *lab.Lab {
	t.Helper()
	l, err := lab.Open(t.Context(), lab.Options{
		Dir: dir, Config: app.DefaultConfig(), Version: "test", Cache: templates,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := l.Close(); err != nil {
			t.Errorf("close the lab: %v", err)
		}
	})
	return l
}

func create(t *testing.T, l *lab.Lab, n lab.NewWorld) *lab.World {
	t.Helper()
	w, err := l.Create(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// call sends a request with the demo's token and gives status, Date and body.
func call(t *testing.T, w *lab.World, method, path, body string) (int, http.Header, string) {
	t.Helper()
	env, err := w.Env()
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, w.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+env["STOA_TOKEN"])
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(text)
}

const listsPath = "/tasks/v1/users/@me/lists"

func addList(t *testing.T, w *lab.World, title string) {
	t.Helper()
	if status, _, text := call(t, w, http.MethodPost, listsPath, `{"title":"`+title+`"}`); status != 200 {
		t.Fatalf("add a list: %d %s", status, text)
	}
}

func hasList(t *testing.T, w *lab.World, title string) bool {
	t.Helper()
	status, _, text := call(t, w, http.MethodGet, listsPath, "")
	if status != 200 {
		t.Fatalf("lists of %s: %d %s", w.Name(), status, text)
	}
	return strings.Contains(text, title)
}

// TestForksShareABase: forks of a world that does not change begin with the same files,
// and each change of it is in the next one.
func TestForksShareABase(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	bases := func() int {
		t.Helper()
		entries, err := os.ReadDir(filepath.Join(dir, "bases"))
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	source := create(t, l, lab.NewWorld{Name: "source"})
	fork := func(want ...string) *lab.World {
		t.Helper()
		w, err := source.Fork(t.Context(), "", 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, title := range want {
			if !hasList(t, w, title) {
				t.Errorf("a fork lacks %s", title)
			}
		}
		return w
	}
	addList(t, source, "alpha")
	one, before := fork("alpha"), bases()
	addList(t, one, "of-one")
	two := fork("alpha")
	three := fork("alpha")
	if got := bases(); got != before {
		t.Errorf("%d bases after more forks, want %d", got, before)
	}
	for _, w := range []*lab.World{source, two, three} {
		if hasList(t, w, "of-one") {
			t.Errorf("%s shows what is in its sibling", w.Name())
		}
	}
	addList(t, source, "beta")
	four := fork("alpha", "beta")
	if err := four.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !hasList(t, four, "beta") || hasList(t, two, "beta") {
		t.Error("a fork is reset to what its source was when it was made")
	}
	if err := source.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if five := fork(); hasList(t, five, "alpha") || hasList(t, five, "beta") {
		t.Error("a fork of a world that was reset shows what was before")
	}
	if err := source.Sleep(); err != nil {
		t.Fatal(err)
	}
	fork()
	for _, w := range l.Worlds() {
		if err := l.Delete(w.Name()); err != nil {
			t.Fatal(err)
		}
	}
	if got := bases(); got != 1 {
		t.Errorf("%d bases are left, want the demo's", got)
	}
}

func TestWorlds(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	begin := clock.Real().Now()
	first := create(t, l, lab.NewWorld{Name: "first"})
	t.Logf("the first world took %v", clock.Real().Now().Sub(begin))
	begin = clock.Real().Now()
	other := create(t, l, lab.NewWorld{})
	t.Logf("the second took %v", clock.Real().Now().Sub(begin))

	addList(t, first, "alpha")
	if hasList(t, other, "alpha") {
		t.Error("a world shows another's list")
	}
	begin = clock.Real().Now()
	fork, err := first.Fork(t.Context(), "fork", 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the fork took %v", clock.Real().Now().Sub(begin))
	addList(t, fork, "beta")
	if !hasList(t, fork, "alpha") || hasList(t, first, "beta") {
		t.Error("a fork begins as its source was and leaves it alone")
	}

	begin = clock.Real().Now()
	if err := first.Sleep(); err != nil {
		t.Fatal(err)
	}
	t.Logf("sleep took %v", clock.Real().Now().Sub(begin))
	if first.Awake() {
		t.Error("a world that sleeps is awake")
	}
	begin = clock.Real().Now()
	if !hasList(t, first, "alpha") || !first.Awake() {
		t.Error("a request did not wake the world with what it had")
	}
	t.Logf("waking took %v", clock.Real().Now().Sub(begin))
	begin = clock.Real().Now()
	if err := first.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("reset took %v", clock.Real().Now().Sub(begin))
	if hasList(t, first, "alpha") {
		t.Error("reset left what was added")
	}
	if err := fork.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !hasList(t, fork, "alpha") || hasList(t, fork, "beta") {
		t.Error("a fork goes back to what it was created with")
	}
	if err := l.Delete("fork"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.World("fork"); err == nil {
		t.Error("a deleted world is found")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "worlds", "fork*")); len(left) > 0 {
		t.Errorf("%v is left of a deleted world", left)
	}
}

func TestClock(t *testing.T) {
	l := open(t, t.TempDir())
	at := time.Date(2031, 5, 6, 7, 8, 9, 0, time.UTC)
	w := create(t, l, lab.NewWorld{Clock: lab.ClockChange{Mode: clock.ModeFrozen, Now: &at}})
	_, header, _ := call(t, w, http.MethodGet, listsPath, "")
	if got := header.Get("Date"); got != at.Format(http.TimeFormat) {
		t.Errorf("Date = %s, want the world's %s", got, at.Format(http.TimeFormat))
	}
	moved, err := w.AdvanceBy(t.Context(), 48*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if !moved.To.Equal(at.Add(48*time.Hour)) || moved.Count == 0 || len(moved.Ran) == 0 || moved.Left != 0 {
		t.Errorf("two days ran %d jobs to %v with %d left; want the daily ones and none left",
			moved.Count, moved.To, moved.Left)
	}
	for i, ran := range moved.Ran {
		if ran.At.Before(at) || ran.At.After(moved.To) || ran.Outcome != "done" {
			t.Errorf("job %d: %+v", i, ran)
		}
	}
	back := at
	if err := w.SetClock(t.Context(), lab.ClockChange{Now: &back}); err == nil {
		t.Error("a used clock went back")
	}
	if err := w.Sleep(); err != nil {
		t.Fatal(err)
	}
	_, header, _ = call(t, w, http.MethodGet, listsPath, "")
	if got := header.Get("Date"); got != moved.To.Format(http.TimeFormat) {
		t.Errorf("Date after sleep = %s, want %s", got, moved.To.Format(http.TimeFormat))
	}
}

func TestSnapshotsAndRestart(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	w := create(t, l, lab.NewWorld{Name: "one", From: lab.FromDemo})
	addList(t, w, "alpha")
	if _, err := w.Save(t.Context(), "saved"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Save(t.Context(), "saved"); err == nil {
		t.Error("a snapshot was saved over another")
	}
	addList(t, w, "beta")
	two := create(t, l, lab.NewWorld{Name: "two", From: lab.FromEmpty})
	address, lost := w.URL(), two.URL()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	other, err := net.Listen("tcp", strings.TrimPrefix(lost, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }() // it has no connections
	l, err = lab.Open(t.Context(), lab.Options{
		Dir: dir, Config: app.DefaultConfig(), Version: "test", Cache: templates,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	w, err = l.World("one")
	if err != nil {
		t.Fatal(err)
	}
	if w.URL() != address {
		t.Errorf("after a restart the world is at %s, was at %s", w.URL(), address)
	}
	if two, err = l.World("two"); err != nil || two.URL() == lost {
		t.Errorf("a world whose port is taken: %v, at %s", err, two.URL())
	}
	if !hasList(t, w, "alpha") || !hasList(t, w, "beta") {
		t.Error("a restart lost what a world had")
	}
	from := create(t, l, lab.NewWorld{From: "snapshot:saved"})
	if !hasList(t, from, "alpha") || hasList(t, from, "beta") {
		t.Error("a world from a snapshot is not what was saved")
	}
	if err := l.DeleteSnapshot("saved"); err != nil {
		t.Fatal(err)
	}
	if err := from.Reset(t.Context()); err != nil {
		t.Errorf("reset after its snapshot is gone: %v", err)
	}
	http.DefaultClient.CloseIdleConnections()
	name := from.Name()
	// As a process leaves it that ended in the middle of a reset.
	stray := filepath.Join(filepath.Dir(from.Data()), "data-stray")
	if err := errors.Join(l.Close(), os.Remove(from.Data()), os.Mkdir(stray, 0o700)); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir)
	if from, err = again.World(name); err != nil || !hasList(t, from, "alpha") {
		t.Errorf("a world whose reset was not finished: %v, want it as it was created", err)
	}
	if _, err := os.Stat(stray); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of a reset that was not finished: %v, want it gone", err)
	}
}

// TestResets goes back again and again: the first time everything is made anew, then
// it was made ahead.
func TestResets(t *testing.T) {
	l := open(t, t.TempDir())
	at := time.Date(2031, 5, 6, 7, 8, 9, 0, time.UTC)
	seed := uint64(7)
	w := create(t, l, lab.NewWorld{Name: "one", Seed: &seed, Clock: lab.ClockChange{Mode: clock.ModeFrozen, Now: &at}})
	url, data := w.URL(), w.Data()
	var made string
	for round := range 4 {
		_, header, text := call(t, w, http.MethodPost, listsPath, `{"title":"alpha"}`)
		if round > 0 && text != made {
			t.Errorf("after reset %d a list is %s, want %s", round, text, made)
		}
		made = text
		if got := header.Get("Date"); got != at.Format(http.TimeFormat) {
			t.Errorf("after reset %d it is %s, want %s", round, got, at.Format(http.TimeFormat))
		}
		if _, err := w.AdvanceBy(t.Context(), time.Hour); err != nil {
			t.Fatal(err)
		}
		if err := w.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		if hasList(t, w, "alpha") || w.URL() != url || !w.Awake() {
			t.Errorf("reset %d left what was added, or the address changed to %s", round+1, w.URL())
		}
		if _, err := os.Stat(filepath.Join(data, "stoa.db")); err != nil {
			t.Errorf("after reset %d the data folder does not lead to the data: %v", round+1, err)
		}
		// What was asked above counts: the next round begins alike.
		if err := w.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Sleep(); err != nil {
		t.Fatal(err)
	}
	if found, err := filepath.Glob(data + "*"); err != nil || len(found) != 2 {
		t.Errorf("a world that sleeps keeps %v (%v), want its data and the path to it", found, err)
	}
}

// TestSharedFiles: what never changes is one file in all worlds that were made of the
// same; what changes is not.
func TestSharedFiles(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	a, b := create(t, l, lab.NewWorld{}), create(t, l, lab.NewWorld{})
	for pattern, shared := range map[string]bool{
		"metrics/points/0*/index": true, "metrics/points/0*/chunks/*": true, "git/*/*/objects/*/*": true, "stoa.db": false,
	} {
		files, err := filepath.Glob(filepath.Join(a.Data(), filepath.FromSlash(pattern)))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", pattern, files, err)
		}
		for _, file := range files {
			name := strings.TrimPrefix(file, a.Data())
			one, errOne := os.Stat(file)
			other, errOther := os.Stat(b.Data() + name)
			if err := errors.Join(errOne, errOther); err != nil {
				t.Fatal(err)
			}
			if os.SameFile(one, other) != shared {
				t.Errorf("%s: one file is %t, want %t", name, !shared, shared)
			}
		}
	}
}

// TestHalfWrittenManifest: a process that ended while it wrote a world's manifest leaves
// the world whole, whichever file it left.
func TestHalfWrittenManifest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := open(t, dir)
	w := create(t, l, lab.NewWorld{Name: "left", From: lab.FromEmpty})
	folder := filepath.Dir(w.Data())
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "world.json")
	for _, left := range []func() error{
		func() error { return os.Rename(file, file+".part") },
		func() error { return os.WriteFile(file+".part", []byte(`{"name":`), 0o600) },
	} {
		if err := left(); err != nil {
			t.Fatal(err)
		}
		l, err := lab.Open(t.Context(), lab.Options{
			Dir: dir, Config: app.DefaultConfig(), Version: "test", Cache: templates,
		})
		if err != nil {
			t.Fatal(err)
		}
		w, err := l.World("left")
		if err == nil {
			err = w.Wake(t.Context()) // which writes it again
		}
		if err := errors.Join(err, l.Close()); err != nil {
			t.Error(err)
		}
	}
}
