//go:build !small

package metrics

import (
	"context"
	"errors"
	"log/slog"
	"strings"
)

// lowerLevel lets the engine speak of its housekeeping to those who debug only. It calls what a
// shutdown interrupts an error, and warns of blocks that overlap; those of late points always do.
func lowerLevel(log *slog.Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(lowerHandler{log.Handler()})
}

// lowerHandler takes one level off what is said, warnings and errors excepted.
type lowerHandler struct{ slog.Handler }

func (h lowerHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.Handler.Enabled(ctx, lowered(level))
}

func (h lowerHandler) Handle(ctx context.Context, r slog.Record) error {
	expected := strings.HasPrefix(r.Message, "Overlapping blocks")
	r.Attrs(func(a slog.Attr) bool {
		err, ok := a.Value.Any().(error)
		expected = expected || ok && errors.Is(err, context.Canceled)
		return !expected
	})
	if r.Level = lowered(r.Level); expected {
		r.Level = slog.LevelDebug
	}
	if !h.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

func (h lowerHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return lowerHandler{h.Handler.WithAttrs(attrs)}
}

func (h lowerHandler) WithGroup(name string) slog.Handler {
	return lowerHandler{h.Handler.WithGroup(name)}
}

func lowered(level slog.Level) slog.Level {
	if level >= slog.LevelWarn {
		return level
	}
	return level - (slog.LevelInfo - slog.LevelDebug)
}
