package rpc

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthapi "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"

	"stoa.dev/stoa/internal/app/listen"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/telemetry"
)

// TestHeadersAreBounded: a thousand calls on a connection must not hold gigabytes of headers.
func TestHeadersAreBounded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	s, err := ListenSocket(path, listen.Access{Mode: 0o600}, Options{Clock: clock.Real(), Telemetry: telemetry.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := grpc.NewClient("unix://"+path, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(conn.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	}()
	for size, want := range map[int]bool{32 << 10: true, 128 << 10: false} {
		ctx := metadata.AppendToOutgoingContext(t.Context(), "x", strings.Repeat("a", size))
		_, err := healthapi.NewHealthClient(conn).Check(ctx, &healthapi.HealthCheckRequest{})
		if (err == nil) != want {
			t.Errorf("a header of %d bytes: %v, want it taken: %t", size, err, want)
		}
	}
}
