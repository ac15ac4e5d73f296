package rpc

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthapi "google.golang.org/grpc/health/grpc_health_v1"

	"stoa.dev/stoa/internal/app/listen"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/telemetry"
)

// watching is the server's side of a watch.
type watching struct {
	grpc.ServerStream
	ctx  context.Context //nolint:containedctx // as a stream has one
	sent []healthapi.HealthCheckResponse_ServingStatus
}

func (w *watching) Context() context.Context { return w.ctx }

func (w *watching) Send(r *healthapi.HealthCheckResponse) error {
	w.sent = append(w.sent, r.GetStatus())
	return nil
}

// TestWatch: who watches is told of a change within seconds, also in a world whose clock stands still, and
// counts as one who calls.
func TestWatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var unwell atomic.Bool
		calls := 0
		p := &procedures{
			called: func() { calls++ },
			owners: map[string]module.Module{"x": {Check: func(context.Context) error {
				if unwell.Load() {
					return errors.New("not well")
				}
				return nil
			}}},
		}
		ctx, cancel := context.WithCancel(t.Context())
		stream, ended := &watching{ctx: ctx}, make(chan error, 1)
		go func() {
			ended <- (&health{procedures: p}).Watch(&healthapi.HealthCheckRequest{Service: "x"}, stream)
		}()
		synctest.Wait()
		unwell.Store(true)
		<-time.After(2 * watchEvery)
		synctest.Wait()
		if len(stream.sent) != 2 || stream.sent[1] != healthapi.HealthCheckResponse_NOT_SERVING {
			t.Errorf("told of %v, want that it serves and then that it does not", stream.sent)
		}
		if calls != 1 {
			t.Errorf("counted as %d calls, want one", calls)
		}
		cancel()
		<-ended
	})
}

// TestCloseEndsWatches: a watch has no end of its own, and a server that closes does not wait for one.
func TestCloseEndsWatches(t *testing.T) {
	t.Parallel()
	tel, err := telemetry.New(telemetry.Options{Clock: clock.Real()})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "s")
	s, err := ListenSocket(path, listen.Access{Mode: 0o600}, Options{Clock: clock.Real(), Telemetry: tel})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := grpc.NewClient("unix://"+path, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	stream, err := healthapi.NewHealthClient(conn).Watch(t.Context(), &healthapi.HealthCheckRequest{})
	if err == nil {
		_, err = stream.Recv()
	}
	if err != nil {
		t.Fatal(err)
	}
	var closed atomic.Bool
	late := time.AfterFunc(listen.DrainTime/2, func() {
		if !closed.Load() {
			t.Errorf("not closed after %s", listen.DrainTime/2)
		}
	})
	defer late.Stop()
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	closed.Store(true)
}
