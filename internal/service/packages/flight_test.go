package packages

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"
)

func TestFlights(t *testing.T) {
	t.Parallel()
	t.Run("callers share what one brings", func(t *testing.T) {
		t.Parallel()
		f := newFlights[int](1)
		t.Cleanup(f.close)
		begin, runs := make(chan struct{}), 0
		work := func(context.Context) (int, error) {
			<-begin
			runs++
			return runs, nil
		}
		first, err := f.join("k", time.Minute, work)
		if err != nil {
			t.Fatal(err)
		}
		second, err := f.join("k", time.Minute, work)
		if err != nil || second != first {
			t.Errorf("the second caller has a flight of its own, %v", err)
		}
		close(begin)
		if got, err := f.do(t.Context(), "k", time.Minute, work); err != nil || got < 1 {
			t.Errorf("%d, %v", got, err)
		}
	})
	t.Run("work that nobody waits for does not pile up", func(t *testing.T) {
		t.Parallel()
		const most = 3
		f := newFlights[struct{}](most)
		t.Cleanup(f.close)
		gone, leave := context.WithCancel(t.Context())
		leave()
		for i := range 2 * most {
			_, err := f.do(gone, fmt.Sprint(i), time.Minute, func(ctx context.Context) (struct{}, error) {
				<-ctx.Done()
				return struct{}{}, ctx.Err()
			})
			if want := map[bool]error{true: context.Canceled, false: errBusy}[i < most]; !errors.Is(err, want) {
				t.Errorf("call %d: %v, want %v", i, err, want)
			}
		}
	})
	t.Run("a panic is an error", func(t *testing.T) {
		t.Parallel()
		f := newFlights[struct{}](1)
		t.Cleanup(f.close)
		if _, err := f.do(t.Context(), "k", time.Minute, func(context.Context) (struct{}, error) { panic("garbage") }); err == nil {
			t.Error("no error")
		}
		f.close()
		if _, err := f.join("k", time.Minute, nil); !errors.Is(err, errClosed) {
			t.Errorf("after the close: %v, want %v", err, errClosed)
		}
	})
}
