package memo_test

import (
	"maps"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/platform/memo"
)

// TestMapIsAMap: it holds what a map of Go's holds, whenever it is built anew.
func TestMapIsAMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var m memo.Map[int, int]
		want, next := map[int]int{}, 0
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				for range rapid.IntRange(1, 300).Draw(t, "many") {
					next++
					m.Set(next, -next)
					want[next] = -next
				}
			},
			"delete": func(t *rapid.T) {
				from := rapid.IntRange(0, next).Draw(t, "from")
				for k := range m.Entries() {
					if k >= from {
						m.Delete(k)
						delete(want, k)
					}
				}
			},
			"trim":  func(*rapid.T) { m.Trim() },
			"clear": func(*rapid.T) { m.Clear(); clear(want) },
			"": func(t *rapid.T) {
				if m.Len() != len(want) || !maps.Equal(m.Entries(), want) {
					t.Fatalf("%d entries, want %d", m.Len(), len(want))
				}
				if v, ok := m.Get(next); ok != (want[next] != 0) || v != want[next] {
					t.Fatalf("Get = %d, %t; want %d", v, ok, want[next])
				}
			},
		})
	})
}

// TestMapKeepsToItsSize: a map takes as much after all its keys have changed a hundred times as when it was first full,
// and little once little is left.
func TestMapKeepsToItsSize(t *testing.T) {
	const entries = 10_000
	var m memo.Map[[4]int, int]
	next := 0
	add := func(n int) {
		for end := next + n; next < end; next++ {
			m.Delete([4]int{next - entries})
			m.Set([4]int{next}, next)
		}
	}
	before := heapBytes()
	add(entries)
	full := heapBytes() - before
	add(100 * entries)
	if turned := heapBytes() - before; turned > full*5/4 {
		t.Errorf("%d bytes after a hundred turns, %d when it was full", turned, full)
	}
	for k := range m.Entries() {
		if k[0] < next-10 {
			m.Delete(k)
		}
	}
	m.Set([4]int{next}, next)
	if left := heapBytes() - before; left > full/20 {
		t.Errorf("%d bytes with %d entries, %d when it was full", left, m.Len(), full)
	}
	runtime.KeepAlive(&m)
}
