package flight_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"stoa.dev/stoa/internal/platform/flight"
)

func TestCallersShareTheResult(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := flight.New[int]()
		defer g.Close()
		end, runs := make(chan struct{}), 0
		work := func(context.Context) (int, error) {
			runs++
			<-end
			return 7, nil
		}
		var callers sync.WaitGroup
		for range 8 {
			callers.Go(func() {
				if got, err := g.Do(t.Context(), "key", work); got != 7 || err != nil {
					t.Errorf("got %d, %v; want 7", got, err)
				}
			})
		}
		other := func(context.Context) (int, error) { return 1, nil }
		if got, err := g.Do(t.Context(), "other", other); got != 1 || err != nil {
			t.Errorf("another key: got %d, %v; want 1", got, err)
		}
		synctest.Wait()
		close(end)
		callers.Wait()
		if runs != 1 {
			t.Errorf("the work ran %d times, want once", runs)
		}
	})
}

func TestNextCallRunsAgain(t *testing.T) {
	t.Parallel()
	g := flight.New[int]()
	t.Cleanup(g.Close)
	broken := errors.New("broken")
	_, err := g.Do(t.Context(), "key", func(context.Context) (int, error) { return 0, broken })
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
	got, err := g.Do(t.Context(), "key", func(context.Context) (int, error) { return 2, nil })
	if got != 2 || err != nil {
		t.Errorf("the next call: got %d, %v; want 2", got, err)
	}
}

// TestWorkOutlivesItsCaller checks that a caller leaves when its context ends and
// that the work goes on for the others.
func TestWorkOutlivesItsCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := flight.New[string]()
		defer g.Close()
		end := make(chan struct{})
		work := func(ctx context.Context) (string, error) {
			<-end
			return "done", ctx.Err()
		}
		ctx, leave := context.WithCancel(t.Context())
		var callers sync.WaitGroup
		callers.Go(func() {
			if _, err := g.Do(ctx, "key", work); !errors.Is(err, context.Canceled) {
				t.Errorf("the caller who left: got %v, want %v", err, context.Canceled)
			}
		})
		synctest.Wait()
		leave()
		callers.Wait()
		callers.Go(func() {
			if got, err := g.Do(t.Context(), "key", work); got != "done" || err != nil {
				t.Errorf("the caller who stayed: got %q, %v; want done", got, err)
			}
		})
		synctest.Wait()
		close(end)
		callers.Wait()
	})
}

func TestPanicIsAnError(t *testing.T) {
	t.Parallel()
	g := flight.New[int]()
	t.Cleanup(g.Close)
	_, err := g.Do(t.Context(), "key", func(context.Context) (int, error) { panic("garbage") })
	if err == nil || !strings.Contains(err.Error(), "garbage") {
		t.Errorf("got %v, want the panic", err)
	}
}

// TestCloseEndsTheWork checks that Close waits for work whose context it has ended,
// and that none begins afterwards.
func TestCloseEndsTheWork(t *testing.T) {
	t.Parallel()
	g := flight.New[int]()
	began, ended := make(chan struct{}), false
	g.Go("key", func(ctx context.Context) (int, error) {
		close(began)
		<-ctx.Done()
		ended = true
		return 0, ctx.Err()
	})
	<-began
	g.Close()
	if !ended {
		t.Error("Close returned before the work")
	}
	_, err := g.Do(t.Context(), "key", func(context.Context) (int, error) { return 1, nil })
	if !errors.Is(err, flight.ErrClosed) {
		t.Errorf("after Close: got %v, want %v", err, flight.ErrClosed)
	}
	g.Close()
}
