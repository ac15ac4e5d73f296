package sharedwork

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/flight"
	"stoa.dev/stoa/internal/platform/limit"
)

func places(n int64) *budget.Pool { return budget.New(budget.Options{Name: "fetches", Total: n}) }

// TestWorkDoesNotPileUp checks that callers who leave at once use up places, and
// no more than there are.
func TestWorkDoesNotPileUp(t *testing.T) {
	t.Parallel()
	const all = 3
	g, pool, ada := flight.New[struct{}](), places(all), budget.Caller("ada")
	t.Cleanup(g.Close)
	gone, leave := context.WithCancel(t.Context())
	leave()
	began := make(chan struct{})
	work := Bounded(pool, ada, time.Minute, func(ctx context.Context) (struct{}, error) {
		began <- struct{}{}
		<-ctx.Done()
		return struct{}{}, ctx.Err()
	})
	for i := range all {
		if _, err := Share(gone, g, fmt.Sprint(i), work); !errors.Is(err, context.Canceled) {
			t.Errorf("call %d: %v, want %v", i, err, context.Canceled)
		}
		<-began
	}
	for i := range all {
		var busy *limit.Exceeded
		if _, err := Share(t.Context(), g, fmt.Sprint("more", i), work); !errors.As(err, &busy) {
			t.Errorf("call %d beyond the places: %v, want it refused", i, err)
		}
	}
}

// TestRefusalIsNotShared checks that a caller who joins work that is refused to
// another starts it again.
func TestRefusalIsNotShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := flight.New[string]()
		defer g.Close()
		refusal, refuse := errors.New("refused"), make(chan struct{})
		var callers sync.WaitGroup
		callers.Go(func() {
			_, err := Share(t.Context(), g, "key", func(context.Context) (string, error) {
				<-refuse
				return "", &RefusedError{Err: refusal}
			})
			if !errors.Is(err, refusal) {
				t.Errorf("the first caller: %v, want %v", err, refusal)
			}
		})
		synctest.Wait()
		callers.Go(func() {
			got, err := Share(t.Context(), g, "key", func(context.Context) (string, error) { return "done", nil })
			if got != "done" || err != nil {
				t.Errorf("the second caller: %q, %v; want done", got, err)
			}
		})
		synctest.Wait()
		close(refuse)
		callers.Wait()
	})
}

// TestWorkHasATimeLimit checks that the work ends, whatever callers do.
func TestWorkHasATimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := flight.New[int]()
		defer g.Close()
		work := Bounded(places(1), budget.Caller("ada"), time.Minute, func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		})
		if _, err := Share(t.Context(), g, "key", work); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
	})
}
