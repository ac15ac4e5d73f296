package reachable_test

import (
	"errors"
	"path/filepath"
	"testing"

	"stoa.dev/stoa/internal/app/reachable"
	"stoa.dev/stoa/internal/platform/database"
)

// TestDatabase: only a server that is asked for the first time is asked, and its silence is told.
func TestDatabase(t *testing.T) {
	t.Parallel()
	silent := database.Config{URL: "postgres://127.0.0.1:1/x"}
	missing := filepath.Join(t.TempDir(), "none")
	if err := reachable.Database(t.Context(), missing, silent); !errors.Is(err, database.ErrUnavailable) {
		t.Errorf("a server that does not answer: %v", err)
	}
	for name, err := range map[string]error{
		"no server":              reachable.Database(t.Context(), missing, database.Config{}),
		"a folder that is there": reachable.Database(t.Context(), t.TempDir(), silent),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
