package telemetry

import (
	"context"
	"log/slog"
)

// masked stands wherever a secret would have been.
const masked = "***"

// redactor is a slog.Handler that masks attributes by their name before the
// next handler formats them.
type redactor struct {
	next slog.Handler
}

// Enabled asks the next handler.
func (h redactor) Enabled(ctx context.Context, l slog.Level) bool { return h.next.Enabled(ctx, l) }

// WithAttrs masks the attributes once, when the logger is built.
func (h redactor) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i], _ = redact(a)
	}
	return redactor{next: h.next.WithAttrs(clean)}
}

// WithGroup opens a group in the next handler. A group's own name does not make
// its members secret.
func (h redactor) WithGroup(name string) slog.Handler {
	return redactor{next: h.next.WithGroup(name)}
}

// Handle copies the record only if something in it has to be masked.
func (h redactor) Handle(ctx context.Context, r slog.Record) error {
	dirty := false
	r.Attrs(func(a slog.Attr) bool {
		_, changed := redact(a)
		dirty = changed
		return !changed
	})
	if !dirty {
		return h.next.Handle(ctx, r)
	}
	clean := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		a, _ = redact(a)
		clean.AddAttrs(a)
		return true
	})
	return h.next.Handle(ctx, clean)
}

// redact masks a if its name tells of a secret, and looks into groups.
func redact(a slog.Attr) (_ slog.Attr, changed bool) {
	if secretName(a.Key) {
		return slog.String(a.Key, masked), true
	}
	v := a.Value
	if v.Kind() == slog.KindLogValuer {
		v = v.Resolve()
	}
	if v.Kind() != slog.KindGroup {
		return a, false
	}
	members := v.Group()
	clean := make([]slog.Attr, len(members))
	for i, m := range members {
		var c bool
		clean[i], c = redact(m)
		changed = changed || c
	}
	if !changed {
		return a, false
	}
	return slog.Attr{Key: a.Key, Value: slog.GroupValue(clean...)}, true
}
