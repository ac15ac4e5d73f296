//go:build !small

package metrics

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// TestLatePointsAreMoved writes points of the past after a newer one, some of them twice, and finds
// them in blocks and with their last values, also after a restart.
func TestLatePointsAreMoved(t *testing.T) {
	t.Parallel()
	const start, minute, points = int64(1_790_000_000_000), int64(60_000), 3000
	dir := t.TempDir()
	open := func() *Local { return NewLocal(Options{Dir: dir, Retention: 7 * 24 * time.Hour}) }
	l := open()
	l.late.most = points / 2
	write := func(from, to int64, value float64) {
		t.Helper()
		s := Series{Metric: "late"}
		for i := from; i < to; i++ {
			s.Samples = append(s.Samples, Sample{Ms: start + i*minute, Value: value})
		}
		if _, err := l.Write(t.Context(), "o1", []Series{s}); err != nil {
			t.Fatal(err)
		}
	}
	write(points, points+1, 1)
	if blocks := blocksIn(t, dir); len(blocks) != 0 {
		t.Fatalf("blocks %v before there are late points", blocks)
	}
	want := map[int64]float64{start + points*minute: 1}
	for from := int64(0); from < points; from += 100 {
		write(from, from+100, 2)
		write(from, from+50, 3)
		for i := from; i < from+100; i++ {
			if want[start+i*minute] = 2; i < from+50 {
				want[start+i*minute] = 3
			}
		}
	}
	l.flush.workers.Wait()
	if len(blocksIn(t, dir)) == 0 || l.late.points.Load() >= l.late.most {
		t.Errorf("no blocks, though %d points were late and at most %d may stay", points, l.late.most)
	}
	if got := values(t, l); !maps.Equal(got, want) {
		t.Errorf("%d points, want %d; or other values", len(got), len(want))
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open()
	if got := values(t, l); !maps.Equal(got, want) {
		t.Errorf("after a restart %d points, want %d; or other values", len(got), len(want))
	}
	write(0, 10, 4)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open()
	if got := values(t, l); got[start] != 4 || len(got) != len(want) {
		t.Errorf("after another restart %d points, want %d; the first is %v, want 4", len(got), len(want), got[start])
	}
	if l.late.points.Load() == 0 {
		t.Error("late points of an earlier process are not counted")
	}
	if err := l.MoveLate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := values(t, l); got[start] != 4 || len(got) != len(want) {
		t.Errorf("moved %d points, want %d; the first is %v, want 4", len(got), len(want), got[start])
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	// What a process that was killed left of such a folder must not be opened.
	if err := os.MkdirAll(filepath.Join(dir, pointsDir, "wal"+removed), 0o700); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, pointsDir))
	for _, e := range entries {
		if slices.Contains(logFolders, e.Name()) {
			t.Errorf("%s is left, though all points are in blocks", e.Name())
		}
	}
	l = open()
	if got := values(t, l); got[start] != 4 || len(got) != len(want) || err != nil {
		t.Errorf("without logs %d points, want %d; the first is %v, want 4; %v", len(got), len(want), got[start], err)
	}
	write(points+1, points+2, 1)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open()
	if got := values(t, l); len(got) != len(want)+1 {
		t.Errorf("%d points with one that came later, want %d", len(got), len(want)+1)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, pointsDir, "wal"+removed)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a folder that is being removed is left:", err)
	}
}

// TestLogIsRemovedLast: a process that is killed in between leaves the log that numbers series.
func TestLogIsRemovedLast(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range logFolders {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// A file in the way of the second name ends the removal there.
	if err := os.WriteFile(filepath.Join(dir, "wbl"+removed), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := removeLogs(dir); err == nil {
		t.Error("removed, though a name was taken")
	}
	if _, err := os.Stat(filepath.Join(dir, "wal")); err != nil {
		t.Error("the log that numbers series went before the others:", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "chunks_head")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the first folder is left:", err)
	}
}

// TestWritersLoseNothingWhilePointsAreMoved moves points again and again while others are written
// in order, and finds every one that was acknowledged.
func TestWritersLoseNothingWhilePointsAreMoved(t *testing.T) {
	t.Parallel()
	const start, second, writers, points = int64(1_790_000_000_000), int64(1000), 4, 200
	l := NewLocal(Options{Dir: t.TempDir(), Retention: 7 * 24 * time.Hour})
	var writing sync.WaitGroup
	for w := range int64(writers) {
		writing.Go(func() {
			for i := range int64(points) {
				s := Series{Metric: "late", Tags: []string{"writer:" + strconv.FormatInt(w, 10)}}
				s.Samples = []Sample{{Ms: start + (i*writers+w)*second, Value: 1}}
				if _, err := l.Write(t.Context(), "o1", []Series{s}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		writing.Wait()
	}()
	for moved := 0; ; moved++ {
		if err := l.MoveLate(t.Context()); err != nil {
			t.Error(err)
		}
		select {
		case <-done:
			if got := values(t, l); len(got) != writers*points || moved == 0 {
				t.Errorf("%d points after %d moves, want %d", len(got), moved, writers*points)
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			return
		default:
		}
	}
}

func blocksIn(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, pointsDir, "0*", "meta.json"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func values(t *testing.T, l *Local) map[int64]float64 {
	t.Helper()
	found := map[int64]float64{}
	err := l.Select(t.Context(), "o1", query.Selection{Metric: "late", Scope: query.Everything{}, To: 1 << 42},
		func(_ query.Tags, s query.Samples) error {
			for s.Next() {
				at, value := s.At()
				found[at] = value
			}
			return s.Err()
		})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
