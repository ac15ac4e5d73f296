package limit

import (
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

var hour = Window{Name: "core", Limit: 1 << 50, Per: time.Hour}

func BenchmarkTakeOneKey(b *testing.B) {
	l := New(Options{Clock: clock.Real()})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := l.Take(b.Context(), hour, "user:1", 1); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkTakeManyKeys(b *testing.B) {
	l := New(Options{Clock: clock.Real()})
	keys := make([]string, 1<<16)
	for i := range keys {
		keys[i] = "user:" + strconv.Itoa(i)
	}
	var n atomic.Int64
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		i := int(n.Add(7919))
		for pb.Next() {
			i++
			if _, err := l.Take(b.Context(), hour, keys[i&(1<<16-1)], 1); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkTakeNewKeys(b *testing.B) {
	l := New(Options{Clock: clock.Real()})
	b.ReportAllocs()
	for i := range b.N {
		_, _ = l.Take(b.Context(), hour, strconv.Itoa(i), 1) // refused once it is full
	}
}

func BenchmarkTakeAllThree(b *testing.B) {
	l := New(Options{Clock: clock.Real()})
	charges := []Charge{{hour, "user:1", 1}, {Window{Name: "minute", Limit: 1 << 50, Per: time.Minute}, "user:1", 1},
		{Window{Name: "ip", Limit: 1 << 50, Per: time.Minute}, "::1", 1}}
	b.ReportAllocs()
	for range b.N {
		if _, err := l.TakeAll(b.Context(), charges); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGate(b *testing.B) {
	l := New(Options{Clock: clock.Real()})
	b.ReportAllocs()
	for range b.N {
		release, _, err := l.Gate(b.Context(), "busy", "user:1", 100)
		if err != nil {
			b.Fatal(err)
		}
		release()
	}
}

func BenchmarkPostgresTake(b *testing.B) {
	l := New(Options{DB: databasetest.Postgres(b, Migrations()), Clock: clock.Real()})
	var n atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		key := strconv.FormatInt(n.Add(1), 10)
		for pb.Next() {
			if _, err := l.Take(b.Context(), hour, key, 1); err != nil {
				b.Fatal(err)
			}
		}
	})
}
