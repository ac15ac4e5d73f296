//go:build !small

package metrics

import (
	"testing"
	"time"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// TestPlainValuesAreLookedUp finds series by a tag while all its values are plain, when others are
// added, after a restart, and in blocks.
func TestPlainValuesAreLookedUp(t *testing.T) {
	t.Parallel()
	const start = int64(1_790_000_000_000)
	dir := t.TempDir()
	open := func() *Local { return NewLocal(Options{Dir: dir, Retention: 24 * time.Hour}) }
	l := open()
	write := func(tags ...string) {
		t.Helper()
		s := Series{Metric: "m", Tags: tags, Samples: []Sample{{Ms: start, Value: 1}}}
		if _, err := l.Write(t.Context(), "o1", []Series{s}); err != nil {
			t.Fatal(err)
		}
	}
	check := func(when, value string, want int, plain bool) {
		t.Helper()
		found, scope := 0, query.All{query.Has{Key: "host", Value: value}, query.Has{Key: "zone", Value: "z"}}
		err := l.Select(t.Context(), "o1", query.Selection{Metric: "m", Scope: scope, To: 1 << 42},
			func(query.Tags, query.Samples) error { found++; return nil })
		if err != nil || found != want {
			t.Errorf("%s: %d series with host:%s, want %d, error %v", when, found, value, want, err)
		}
		known, err := l.plain.of(t.Context(), l.db, scope)
		if err != nil || known["host"] != plain || !known["zone"] {
			t.Errorf("%s: plain are %v, want host: %v, zone: true; error %v", when, known, plain, err)
		}
	}
	write("host:h1", "zone:z")
	write("host:h2", "zone:z")
	check("at first", "h1", 1, true)
	check("at first", "h3", 0, true)
	if err := l.MoveLate(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("in a block", "h2", 1, true)
	write("host:H1", "zone:z")
	check("with an upper case letter", "h1", 2, false)
	write("host:h1", "host:h9", "zone:z")
	check("with two values", "h1", 3, false)
	check("with two values", "h9", 1, false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open()
	check("after a restart", "h1", 3, false)
	if err := l.MoveLate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open()
	check("in blocks after a restart", "h1", 3, false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}
