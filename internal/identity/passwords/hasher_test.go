package passwords

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/platform/ids"
)

func TestHashAndVerify(t *testing.T) {
	t.Parallel()
	cheap := New(Options{MemoryKiB: 64, Passes: 1, Threads: 1, Concurrent: 2, MinLength: 8})
	phc, err := cheap.Hash(t.Context(), ids.Random(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	dear := New(Options{MemoryKiB: 64, Passes: 3})
	for _, row := range []struct {
		name        string
		hasher      *Hasher
		password    string
		fits, stale bool
	}{
		{"right", cheap, "correct horse", true, false},
		{"wrong", cheap, "correct Horse", false, false},
		{"too long to be one", cheap, strings.Repeat("a", 1<<20), false, false},
		{"right, at another cost", dear, "correct horse", true, true},
	} {
		fits, stale, err := row.hasher.Verify(t.Context(), phc, row.password)
		if err != nil || fits != row.fits || stale != row.stale {
			t.Errorf("%s: Verify = %v, %v, %v; want %v, %v", row.name, fits, stale, err, row.fits, row.stale)
		}
	}
	if _, _, err := cheap.Verify(t.Context(), "$1$", "x"); !errors.Is(err, errHash) {
		t.Errorf("Verify of another format = %v, want errHash", err)
	}
}

func TestHashingIsBounded(t *testing.T) {
	t.Parallel()
	h := New(Options{MemoryKiB: 64, Passes: 1, Concurrent: 2})
	phc, err := h.Hash(t.Context(), ids.Random(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	for range cap(h.slots) {
		h.slots <- struct{}{}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Hash(over, ids.Random(), "correct horse"); !errors.Is(err, context.Canceled) {
		t.Errorf("hashing with no slot free = %v, want to wait and give up with the context", err)
	}
	if err := h.VerifyNothing(over, "correct horse"); !errors.Is(err, context.Canceled) {
		t.Errorf("verifying nothing with no slot free = %v, want to wait and give up with the context", err)
	}
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			if fits, _, err := h.Verify(t.Context(), phc, "correct horse"); err != nil || !fits {
				t.Errorf("Verify = %v, %v", fits, err)
			}
		})
	}
	for range cap(h.slots) {
		<-h.slots
	}
	wg.Wait()
}
