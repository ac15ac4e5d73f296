package rpc

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthapi "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"stoa.dev/stoa/internal/platform/clock"
)

// watchEvery is how often a watched service is asked how it is. It is real time: it paces the
// machine, also in a world whose clock stands still or runs fast.
const watchEvery = 5 * time.Second

// health is the standard health service: what the owner's Check says.
type health struct {
	healthapi.UnimplementedHealthServer
	procedures *procedures
}

// Check answers for one service, or for all when none is named.
func (h *health) Check(
	ctx context.Context, in *healthapi.HealthCheckRequest,
) (*healthapi.HealthCheckResponse, error) {
	state := h.state(ctx, in.GetService())
	if state == healthapi.HealthCheckResponse_SERVICE_UNKNOWN {
		return nil, status.Error(codes.NotFound, "there is no such service")
	}
	return &healthapi.HealthCheckResponse{Status: state}, nil
}

// List answers for every service.
func (h *health) List(ctx context.Context, _ *healthapi.HealthListRequest) (*healthapi.HealthListResponse, error) {
	out := &healthapi.HealthListResponse{Statuses: map[string]*healthapi.HealthCheckResponse{}}
	for name := range h.procedures.owners {
		out.Statuses[name] = &healthapi.HealthCheckResponse{Status: h.state(ctx, name)}
	}
	return out, nil
}

// Watch sends the state, and again whenever it changes, until the caller leaves or the server
// closes.
func (h *health) Watch(
	in *healthapi.HealthCheckRequest, out grpc.ServerStreamingServer[healthapi.HealthCheckResponse],
) error {
	h.procedures.called()
	last := healthapi.HealthCheckResponse_UNKNOWN
	for {
		if state := h.state(out.Context(), in.GetService()); state != last {
			if err := out.Send(&healthapi.HealthCheckResponse{Status: state}); err != nil {
				return err
			}
			last = state
		}
		timer := clock.Real().NewTimer(watchEvery)
		select {
		case <-timer.C:
		case <-out.Context().Done():
			timer.Stop()
			return status.FromContextError(out.Context().Err()).Err()
		case <-h.procedures.closing:
			timer.Stop()
			return status.Error(codes.Unavailable, "the server is closing")
		}
	}
}

func (h *health) state(ctx context.Context, service string) healthapi.HealthCheckResponse_ServingStatus {
	known := service == ""
	for name, m := range h.procedures.owners {
		if service != "" && service != name {
			continue
		}
		known = true
		if m.Check == nil {
			continue
		}
		if err := m.Check(ctx); err != nil {
			return healthapi.HealthCheckResponse_NOT_SERVING
		}
	}
	if !known {
		return healthapi.HealthCheckResponse_SERVICE_UNKNOWN
	}
	return healthapi.HealthCheckResponse_SERVING
}
