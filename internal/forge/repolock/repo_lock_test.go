package repolock_test

import (
	"context"
	"errors"
	"testing"

	"stoa.dev/stoa/internal/forge/repolock"
)

// TestLock: one holder of each repository, others wait as long as their contexts last.
func TestLock(t *testing.T) {
	t.Parallel()
	locks := repolock.New()
	unlock, err := locks.Lock(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	other, err := locks.Lock(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	other()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := locks.Lock(ended, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a held lock with an ended context: %v, want context.Canceled", err)
	}
	unlock()
	if unlock, err = locks.Lock(t.Context(), 1); err != nil {
		t.Fatalf("after the unlock: %v", err)
	}
	unlock()
}
