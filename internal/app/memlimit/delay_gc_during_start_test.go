package memlimit

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// percent is what the collector works by.
func percent() int {
	now := debug.SetGCPercent(defaultPercent)
	debug.SetGCPercent(now)
	return now
}

// TestStarting is not parallel: the collector belongs to the process.
func TestStarting(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(defaultPercent))
	started := Starting()
	if got := percent(); got != startPercent {
		t.Errorf("during a start: %d, want %d", got, startPercent)
	}
	Starting()() // another one does not end this one
	if got := percent(); got != startPercent {
		t.Errorf("after another start: %d, want %d", got, startPercent)
	}
	started()
	if got := percent(); got != defaultPercent {
		t.Errorf("started: %d, want %d", got, defaultPercent)
	}

	debug.SetGCPercent(50)
	Starting()
	if got := percent(); got != 50 {
		t.Errorf("with an operator's own: %d, want 50", got)
	}
}

// TestStartingEndsWithACollection: a start that needs more is collected like anything else.
func TestStartingEndsWithACollection(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(defaultPercent))
	started := Starting()
	defer started()
	for deadline := time.After(20 * time.Second); percent() != defaultPercent; runtime.GC() {
		select {
		case <-deadline:
			t.Fatalf("after collections: %d, want %d", percent(), defaultPercent)
		default:
		}
	}
}
