package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/limit"
)

// largeRepository is a repository whose programs take as many slots as one may.
func largeRepository(t *testing.T, r *Runner) string {
	t.Helper()
	const folder = "abcdef"
	pack := filepath.Join(r.Path(folder), "objects", "pack")
	if err := os.MkdirAll(pack, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(pack, "pack-1.idx"), make([]byte, largeIndex+1), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// asked is the context of a caller's request.
type asked struct {
	context.Context
	owner budget.Owner
}

func (a asked) Value(key any) any {
	if key == budget.OwnerKey() {
		return a.owner
	}
	return a.Context.Value(key)
}

// TestQueriesAreShared has a caller whose questions about a large repository do not end:
// another's is answered all the same, also when both ask about the same repository, and
// a program that is run again has as much memory as a push.
func TestQueriesAreShared(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for processes, memory := range map[int]int64{1: 1 << 30, 4: 1 << 30, 8: 1 << 30, 16: 1 << 30, 64: 8 << 30} {
		r := New(Options{Dir: t.TempDir(), Processes: processes, Memory: memory})
		repo := Repo{Folder: largeRepository(t, r), Owner: budget.Caller("user:1")}
		mal := asked{ctx, budget.Caller("mal")}
		push := min(pushWeight, r.slots.clients.Max(repo.Owner)) * r.slots.memory
		err := r.Query(mal, repo, func(s Slot) error {
			if s.Memory < push {
				t.Errorf("%d programs: a question has %d bytes, a push %d", processes, s.Memory, push)
			}
			return r.Query(asked{ctx, budget.Caller("ann")}, repo, func(Slot) error { return nil })
		})
		if err != nil {
			t.Errorf("%d programs: beside a question of another caller: %v", processes, err)
		}
		if got := r.slots.memory * (r.slots.clients.Total() + r.slots.queries.Total() + r.slots.long.Total()); got > memory {
			t.Errorf("%d programs: they may take %d bytes, more than the %d that there are", processes, got, memory)
		}
		if r.slots.memory < MinMemory {
			t.Errorf("%d programs: a slot has %d bytes", processes, r.slots.memory)
		}
	}
}

// TestQueriesWaitForTheirOwn: what no request asks for uses the share of the repository's
// owner, and one share is never the whole pool.
func TestQueriesWaitForTheirOwn(t *testing.T) {
	t.Parallel()
	r := New(Options{Dir: t.TempDir(), Processes: 16, Memory: 1 << 30})
	repo := Repo{Folder: largeRepository(t, r), Owner: budget.Caller("user:1")}
	ctx, cancel := context.WithCancelCause(t.Context())
	refused := &limit.Exceeded{}
	err := r.Query(ctx, repo, func(Slot) error {
		cancel(refused)
		return r.Query(ctx, repo, func(Slot) error { return nil })
	})
	if !errors.Is(err, refused) {
		t.Errorf("a second question of the owner: %v, want that it waits", err)
	}
}
