//go:build !small

package database

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
)

func TestRetryIsBounded(t *testing.T) {
	t.Parallel()
	conflict := &Error{Kind: ErrBusy, cause: &pgconn.PgError{Code: pgSerialization}}
	tests := map[string]struct {
		fail  int // how often it fails first
		with  error
		want  error
		calls int
	}{
		"at once":            {0, conflict, nil, 1},
		"after a conflict":   {3, conflict, nil, 4},
		"after a deadlock":   {1, &Error{cause: &pgconn.PgError{Code: pgDeadlock}}, nil, 2},
		"never":              {100, conflict, ErrBusy, maxAttempts},
		"not for other ends": {1, ErrNotFound, ErrNotFound, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := clock.NewVirtual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
			d := &postgresDB{opts: Options{Pace: v, IDs: ids.Seeded(1)}}
			stop := make(chan struct{})
			go advance(v, stop)
			calls := 0
			_, err := d.retry(t.Context(), func() ([]func(), error) {
				if calls++; calls <= test.fail {
					return nil, test.with
				}
				return nil, nil
			})
			close(stop)
			if !errors.Is(err, test.want) || calls != test.calls {
				t.Errorf("err = %v after %d calls, want %v after %d", err, calls, test.want, test.calls)
			}
		})
	}
}

// advance moves the clock whenever a goroutine waits for it.
func advance(v *clock.Virtual, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
			if _, waiting := v.NextDue(); waiting {
				v.Advance(time.Second)
			}
		}
	}
}

func TestRetryEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	d := &postgresDB{opts: Options{Pace: clock.NewVirtual(time.Time{}), IDs: ids.Seeded(1)}}
	_, err := d.retry(ctx, func() ([]func(), error) {
		cancel()
		return nil, &Error{cause: &pgconn.PgError{Code: pgSerialization}}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want canceled", err)
	}
}

func TestPauseGrowsAndIsBounded(t *testing.T) {
	t.Parallel()
	d := &postgresDB{opts: Options{IDs: ids.Seeded(1)}}
	for attempt := 1; attempt <= maxAttempts; attempt++ {
		ceiling := time.Millisecond << min(attempt-1, 8)
		for range 50 {
			if got := d.pause(attempt); got < ceiling/2 || got > ceiling {
				t.Fatalf("pause(%d) = %v, want between %v and %v", attempt, got, ceiling/2, ceiling)
			}
		}
	}
}

func TestTranslatePostgres(t *testing.T) {
	t.Parallel()
	code := func(c string) error { return &pgconn.PgError{Code: c} }
	tests := map[string]struct {
		in   error
		want error
	}{
		"disk full":          {code("53100"), ErrDiskFull},
		"too many clients":   {code("53300"), ErrUnavailable},
		"shutting down":      {code("57P01"), ErrUnavailable},
		"starting up":        {code("57P03"), ErrUnavailable},
		"abandoned":          {code("25P03"), ErrUnavailable},
		"deadlock":           {code("40P01"), ErrBusy},
		"lock not available": {code("55P03"), ErrBusy},
		"value too long":     {code("22001"), ErrInvalid},
		"exclusion":          {code("23P01"), ErrUnique},
		"connection cut":     {io.ErrUnexpectedEOF, ErrUnavailable},
		"connection refused": {&net.OpError{Op: "dial", Err: errors.New("refused")}, ErrUnavailable},
		"a short code":       {code("2"), nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got *Error
			if err := translatePostgres(test.in); !errors.As(err, &got) || got.Kind != test.want || !errors.Is(err, test.in) {
				t.Errorf("translated to %v, want kind %v around the cause", err, test.want)
			}
		})
	}
}
