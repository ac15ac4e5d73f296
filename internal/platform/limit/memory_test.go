package limit

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

func (w *world) counters() (n int) {
	for i := range w.memory.shards {
		n += w.memory.shards[i].counters.Len()
	}
	return n
}

func TestMemoryIsBounded(t *testing.T) {
	t.Run("expired keys give their place up", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil, 64*100)
		win := Window{Name: "w", Limit: 1, Per: time.Minute}
		for round := range 5 {
			for n := range 3000 {
				if d := w.take(win, fmt.Sprint(round, n), 1); !d.Allowed {
					t.Fatalf("round %d, key %d was refused though there is capacity", round, n)
				}
			}
			w.clock.Advance(time.Minute)
		}
		if got, most := w.counters(), 64*100; got > most {
			t.Errorf("holds %d keys, want at most %d", got, most)
		}
	})

	t.Run("keys beyond the capacity share one budget", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil, 64*4)
		win := Window{Name: "w", Limit: 2, Per: time.Minute}
		refused := 0
		for n := range 5000 {
			if !w.take(win, fmt.Sprint("first", n), 1).Allowed {
				refused++
			}
		}
		// 256 keys have a place of their own, and 64 shards share two points each.
		if got, want := 5000-refused, 64*4+64*2; got != want {
			t.Errorf("admitted %d of 5000 keys, want %d", got, want)
		}
		if got := w.counters(); got != 64*4 {
			t.Errorf("holds %d keys, want %d", got, 64*4)
		}
		// Live keys keep their counts.
		for n := range 5000 {
			if d := w.take(win, fmt.Sprint("first", n), 2); d.Allowed {
				t.Fatalf("key %d got three points, want two", n)
			}
		}
		w.clock.Advance(time.Minute)
		if d := w.take(win, "later", 2); !d.Allowed {
			t.Errorf("after the windows ended: %+v, want allowed", d)
		}
	})
}

// TestBytesPerKey checks the number that doc.go promises.
func TestBytesPerKey(t *testing.T) {
	const keys, most = 200_000, 140
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	l := New(Options{Clock: clock.NewVirtual(epoch), MaxKeys: 2 * keys})
	win := Window{Name: "w", Limit: 10, Per: time.Hour}
	key := make([]byte, 0, 64)
	for n := range keys {
		key = fmt.Appendf(key[:0], "some rather long key such as an address or a token %d", n)
		if _, err := l.Take(t.Context(), win, string(key), 1); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if got := float64(after.HeapAlloc-before.HeapAlloc) / keys; got > most {
		t.Errorf("a key takes %.0f bytes, want at most %d", got, most)
	}
	runtime.KeepAlive(l)
}

func TestMemoryIsGivenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, 1<<20)
	win := Window{Name: "w", Limit: 10, Per: time.Minute}
	for n := range 64 * 1000 {
		w.take(win, fmt.Sprint(n), 1)
	}
	w.clock.Advance(time.Minute)
	for i := range w.memory.shards {
		s := &w.memory.shards[i]
		s.sweep(w.memory.now())
		if n := s.counters.Len(); n != 0 {
			t.Errorf("shard %d has %d keys, want none", i, n)
		}
	}
}

func TestTakeDoesNotAllocate(t *testing.T) {
	w := newWorld(t, nil, 0)
	win := Window{Name: "f", Limit: 1 << 40, Per: time.Hour}
	w.take(win, "k", 1)
	if got := testing.AllocsPerRun(1000, func() {
		if _, err := w.Take(t.Context(), win, "k", 1); err != nil {
			t.Fatal(err)
		}
	}); got > 0 {
		t.Errorf("%.1f allocations, want none", got)
	}
}

// TestTurnoverTakesNoMore: a shard takes as much after its keys have changed a thousand times as after a few.
func TestTurnoverTakesNoMore(t *testing.T) {
	win := Window{Name: "w", Limit: 10, Per: time.Second}
	var s shard
	s.init(1 << 20)
	n := 0
	after := func(turns int) uint64 {
		var m runtime.MemStats
		for end := n + turns*1000; n < end; n++ {
			s.take(&win, makeID("w", strconv.Itoa(n)), int64(n)*int64(time.Millisecond), 1, false)
		}
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := after(0)
	few := after(10) - before
	if many := after(1000) - before; many > few*3/2 {
		t.Errorf("%d bytes after a thousand turns, %d after ten", many, few)
	}
	runtime.KeepAlive(&s)
}
