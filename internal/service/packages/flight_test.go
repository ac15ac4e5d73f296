package packages

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/limit"
)

func places(n int64) *budget.Pool { return budget.New(budget.Options{Name: "fetches", Total: n}) }

func TestFlights(t *testing.T) {
	t.Parallel()
	ada := budget.Caller("ada")
	t.Run("callers share what one brings", func(t *testing.T) {
		t.Parallel()
		f := newFlights[int](places(1))
		t.Cleanup(f.close)
		begin, runs := make(chan struct{}), 0
		work := func(context.Context) (int, error) {
			<-begin
			runs++
			return runs, nil
		}
		first, err := f.join(ada, "k", time.Minute, work)
		if err != nil {
			t.Fatal(err)
		}
		second, err := f.join(ada, "k", time.Minute, work)
		if err != nil || second != first {
			t.Errorf("the second caller has a flight of its own, %v", err)
		}
		close(begin)
		if got, err := f.do(t.Context(), ada, "k", time.Minute, work); err != nil || got < 1 {
			t.Errorf("%d, %v", got, err)
		}
	})
	t.Run("work that nobody waits for does not pile up", func(t *testing.T) {
		t.Parallel()
		const most = 3
		f := newFlights[struct{}](places(most))
		t.Cleanup(f.close)
		gone, leave := context.WithCancel(t.Context())
		leave()
		for i := range 2 * most {
			_, err := f.do(gone, ada, fmt.Sprint(i), time.Minute, func(ctx context.Context) (struct{}, error) {
				<-ctx.Done()
				return struct{}{}, ctx.Err()
			})
			var busy *limit.Exceeded
			if i < most && !errors.Is(err, context.Canceled) || i >= most && !errors.As(err, &busy) {
				t.Errorf("call %d: %v", i, err)
			}
		}
	})
	t.Run("a panic is an error", func(t *testing.T) {
		t.Parallel()
		f := newFlights[struct{}](places(1))
		t.Cleanup(f.close)
		if _, err := f.do(t.Context(), ada, "k", time.Minute, func(context.Context) (struct{}, error) { panic("garbage") }); err == nil {
			t.Error("no error")
		}
		f.close()
		if _, err := f.join(ada, "k", time.Minute, nil); !errors.Is(err, errClosed) {
			t.Errorf("after the close: %v, want %v", err, errClosed)
		}
	})
}
