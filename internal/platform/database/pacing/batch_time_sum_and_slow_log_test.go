package pacing_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database/pacing"
)

// TestSlowBatchesAreLogged: all batches count, and only those above a second are worth a line.
func TestSlowBatchesAreLogged(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	batches := pacing.BatchTime{Log: slog.New(slog.NewTextHandler(&log, nil))}
	batches.Add(time.Second, 5)
	if log.Len() > 0 {
		t.Errorf("a second is logged: %s", &log)
	}
	batches.Add(2*time.Second, 7)
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "took=2s transactions=7") {
		t.Errorf("the log says %q", got)
	}
	if got := batches.Total(); got != 3*time.Second {
		t.Errorf("total %s, want 3s", got)
	}
}
