package telemetry

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// recentSize is how many requests Recent remembers.
const recentSize = 200

// maxPath is how much of a path or a query the log repeats.
const maxPath = 512

// Entry is one answered request as the log and the console show it. It holds
// no query and no header, hence no credential.
type Entry struct {
	Time     time.Time
	Service  string
	Route    string
	Method   string
	Path     string // as sent, but for a pattern where the path holds a secret
	Status   int
	Bytes    int64
	Duration time.Duration
	ID       string
	Caller   string
	// Reason says why the request failed; it is empty on success.
	Reason string
	// Unlisted requests are logged but not remembered.
	Unlisted bool
}

// ring holds the last entries; the oldest is overwritten.
type ring struct {
	clock clock.Clock
	mu    sync.Mutex
	next  int
	slots []Entry // grows to recentSize
}

func (r *ring) add(e *Entry) {
	if e.Time.IsZero() {
		e.Time = r.clock.Now()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.slots) < recentSize {
		r.slots = append(r.slots, *e)
		return
	}
	r.slots[r.next] = *e
	r.next = (r.next + 1) % recentSize
}

// Recent is the last requests, newest first.
func (t *Telemetry) Recent() []Entry {
	t.recent.mu.Lock()
	defer t.recent.mu.Unlock()
	out := slices.Concat(t.recent.slots[t.recent.next:], t.recent.slots[:t.recent.next])
	slices.Reverse(out)
	return out
}

// Record remembers one request and writes its line to the log. query is the
// raw query; secrets in it are masked.
func (t *Telemetry) Record(ctx context.Context, e *Entry, query string) {
	if len(e.Path) > maxPath {
		e.Path = strings.Clone(e.Path[:maxPath]) + "…" // do not hold the rest in memory
	}
	if !e.Unlisted {
		t.recent.add(e)
	}
	if t.access == AccessOff || (t.access == AccessErrors && e.Status < 400) {
		return
	}
	level := slog.LevelInfo
	if e.Status >= 500 {
		level = slog.LevelWarn
	}
	if !t.Log.Enabled(ctx, level) {
		return
	}
	path := e.Path
	if query != "" {
		if len(query) > maxPath {
			query = query[:maxPath] + "…"
		}
		path += "?" + MaskQuery(query)
	}
	attrs := make([]slog.Attr, 0, 10)
	attrs = append(attrs,
		slog.String("service", e.Service), slog.String("route", e.Route),
		slog.String("method", e.Method), slog.String("path", path),
		slog.Int("status", e.Status), slog.Int64("bytes", e.Bytes),
		slog.Duration("took", e.Duration), slog.String("request", e.ID))
	if e.Caller != "" {
		attrs = append(attrs, slog.String("caller", e.Caller))
	}
	if e.Reason != "" {
		attrs = append(attrs, slog.String("reason", e.Reason))
	}
	t.Log.LogAttrs(ctx, level, "request", attrs...)
}
