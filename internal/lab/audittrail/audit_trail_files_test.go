package audittrail

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/audit"
)

func noLog() *slog.Logger { return slog.New(slog.DiscardHandler) }

func add(t *testing.T, trail *Trail, action, object string) {
	t.Helper()
	if err := trail.Add(audit.Entry{Action: action, Object: object, Outcome: audit.Done}); err != nil {
		t.Fatal(err)
	}
}

func numbers(t *testing.T, trail *Trail, f Filter) (string, bool) {
	t.Helper()
	list, more, err := trail.List(f)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, strconv.FormatInt(e.ID, 10))
	}
	return strings.Join(out, " "), more
}

func closeTrail(t *testing.T, trail *Trail) {
	t.Helper()
	if err := trail.Close(); err != nil {
		t.Error(err)
	}
}

func TestListChoosesAndPages(t *testing.T) {
	t.Parallel()
	trail, err := Open(t.TempDir(), noLog())
	if err != nil {
		t.Fatal(err)
	}
	defer closeTrail(t, trail)
	add(t, trail, "worlds.create", "one")
	add(t, trail, "worlds.create", "two")
	add(t, trail, "clock.advance", "one")
	for name, row := range map[string]struct {
		filter Filter
		want   string
		more   bool
	}{
		"all":           {Filter{Limit: 10}, "3 2 1", false},
		"a world":       {Filter{World: "one", Limit: 10}, "3 1", false},
		"an action":     {Filter{Action: "clock.advance", Limit: 10}, "3", false},
		"an area":       {Filter{Action: "worlds", Limit: 10}, "2 1", false},
		"a page":        {Filter{Limit: 2}, "3 2", true},
		"the next page": {Filter{Before: 2, Limit: 2}, "1", false},
	} {
		if got, more := numbers(t, trail, row.filter); got != row.want || more != row.more {
			t.Errorf("%s: %q, more %v; want %q, %v", name, got, more, row.want, row.more)
		}
	}
}

// TestOpenAgain: a trail goes on after a process that ended in the middle of a line.
func TestOpenAgain(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	trail, err := Open(folder, noLog())
	if err != nil {
		t.Fatal(err)
	}
	add(t, trail, "worlds.create", "one")
	closeTrail(t, trail)
	file, err := os.OpenFile(filepath.Join(folder, newerFile), os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(`{"id":2,"act`); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if trail, err = Open(folder, noLog()); err != nil {
		t.Fatal(err)
	}
	defer closeTrail(t, trail)
	add(t, trail, "worlds.delete", "one")
	if got, _ := numbers(t, trail, Filter{Limit: 10}); got != "2 1" {
		t.Errorf("entries %q, want 2 1", got)
	}
}

// TestSizeIsBounded: the oldest entries go, numbers never come again.
func TestSizeIsBounded(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	const size = 1000
	trail, err := open(folder, size, noLog())
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		add(t, trail, "worlds.create", "one")
	}
	list, _, err := trail.List(Filter{Limit: 1000})
	if err != nil || len(list) < 5 || len(list) >= 100 || list[0].ID != 100 {
		t.Errorf("%d entries are left of 100, %v", len(list), err)
	}
	for n, e := range list {
		if e.ID != int64(100-n) {
			t.Fatalf("entry %d has the number %d", n, e.ID)
		}
	}
	closeTrail(t, trail)
	for _, name := range []string{newerFile, olderFile} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Size() > size {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if trail, err = open(folder, size, noLog()); err != nil {
		t.Fatal(err)
	}
	defer closeTrail(t, trail)
	add(t, trail, "worlds.create", "one")
	if got, _ := numbers(t, trail, Filter{Limit: 1}); got != "101" {
		t.Errorf("the next number is %s, want 101", got)
	}
}

// TestFilesThatDoNotTurn: while the full file cannot become the older one, entries go on in it, up to twice its size;
// the log says so once, and the trail turns as soon as that is possible.
func TestFilesThatDoNotTurn(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	const size = 1000
	var log bytes.Buffer
	trail, err := open(folder, size, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer closeTrail(t, trail)
	inTheWay := filepath.Join(folder, olderFile, "file")
	if err := os.MkdirAll(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	written := 0
	for ; err == nil; written++ {
		err = trail.Add(audit.Entry{Action: "worlds.create", Object: "one", Outcome: audit.Done})
	}
	info, statErr := os.Stat(filepath.Join(folder, newerFile))
	if statErr != nil || info.Size() <= size || info.Size() > 2*size {
		t.Errorf("the file has %d bytes, %v, want more than %d and at most twice that", info.Size(), statErr, size)
	}
	if lines := strings.Count(log.String(), "do not turn"); lines != 1 {
		t.Errorf("the log says %d times that the files do not turn, want once: %s", lines, &log)
	}
	if err := os.RemoveAll(filepath.Join(folder, olderFile)); err != nil {
		t.Fatal(err)
	}
	add(t, trail, "worlds.create", "one")
	list, _, err := trail.List(Filter{Limit: 1000})
	if err != nil || len(list) != written || list[0].ID != int64(written) || list[len(list)-1].ID != 1 {
		t.Errorf("%d entries after it turned, %v, want %d from 1 on", len(list), err, written)
	}
	if !strings.Contains(log.String(), "turn again") {
		t.Errorf("the log does not say that the files turn again: %s", &log)
	}
}
