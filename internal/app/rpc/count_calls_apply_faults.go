package rpc

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"stoa.dev/stoa/internal/platform/faultrule"
)

// observe counts a call, and turns a panic into an answer.
func (p *procedures) observe(
	ctx context.Context, in any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler,
) (out any, err error) {
	p.called()
	start := p.meter.Now()
	var at time.Time
	draft := p.journal.Begin(ctx)
	if draft != nil {
		ctx, at = draft, p.world.Now()
	}
	defer func() {
		if cause := recover(); cause != nil {
			p.log.Log.Error("remote procedure panicked", "method", info.FullMethod, "panic", fmt.Sprint(cause))
			out, err = nil, status.Error(codes.Internal, "internal error; the log names the cause")
		}
		if m := p.metrics[info.FullMethod]; m != nil {
			m.Observe(httpStatus(err), p.meter.Now().Sub(start))
		}
		if err != nil {
			p.log.Log.Debug("call refused", "method", info.FullMethod,
				"code", status.Code(err).String(), "error", err.Error())
		}
		if draft != nil {
			p.record(draft, call{at: at, took: p.meter.Now().Sub(start), method: info.FullMethod, in: in, out: out}, err)
		}
	}()
	return p.call(ctx, in, info, handle)
}

// call makes the call, or what a fault rule does to it.
func (p *procedures) call(
	ctx context.Context, in any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler,
) (any, error) {
	if p.faults == nil {
		return handle(ctx, in)
	}
	service, procedure, _ := strings.Cut(strings.TrimPrefix(info.FullMethod, "/"), "/")
	owner, ok := p.owners[service]
	if !ok {
		return handle(ctx, in)
	}
	header := http.Header{}
	if sent, ok := metadata.FromIncomingContext(ctx); ok {
		for name, values := range sent {
			for _, v := range values {
				header.Add(name, v)
			}
		}
	}
	return p.faults.Call(ctx, faultrule.Remote{
		Service: owner.Name, Procedure: procedure, Path: info.FullMethod, Header: header, Clock: p.world,
	}, in, handle)
}

// httpStatus is the class a call is counted under, beside HTTP's.
func httpStatus(err error) int {
	if err == nil {
		return http.StatusOK
	}
	switch status.Code(err) {
	case codes.InvalidArgument, codes.FailedPrecondition, codes.OutOfRange:
		return http.StatusBadRequest
	case codes.Unauthenticated:
		return http.StatusUnauthorized
	case codes.PermissionDenied:
		return http.StatusForbidden
	case codes.NotFound:
		return http.StatusNotFound
	case codes.ResourceExhausted:
		return http.StatusTooManyRequests
	case codes.Canceled:
		return 499
	case codes.DeadlineExceeded:
		return http.StatusGatewayTimeout
	case codes.Unavailable:
		return http.StatusServiceUnavailable
	default:
		return http.StatusInternalServerError
	}
}
