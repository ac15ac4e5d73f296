package rpc

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthapi "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/faultrule"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/telemetry"
)

const (
	// maxMessage bounds one remote procedure call either way.
	maxMessage = 64 << 10
	// maxStreams bounds the calls in flight on one connection.
	maxStreams = 1024
	// maxHeaders bounds the headers of a call, as those of a request are.
	maxHeaders = 64 << 10
	// streamWorkers goroutines with grown stacks wait for calls; more calls at once
	// get goroutines of their own.
	streamWorkers = 32
	// connectTime is how long a client may take to say hello.
	connectTime = 10 * time.Second
	// idleTime closes connections on the socket without calls.
	idleTime = 15 * time.Minute
)

// Options are what the servers are built from.
type Options struct {
	// Modules are those of the world; the ones without procedures are left out.
	Modules   []module.Module
	Identity  *identity.Identity
	Telemetry *telemetry.Telemetry
	Clock     clock.Clock
	// FaultRules make chosen calls fail; nil leaves all alone.
	FaultRules *faultrule.Set
	// Journal keeps the calls; nil keeps none.
	Journal *journal.Journal
	// Called is told of every call, as it begins; nil means that no program asks.
	Called func()
	// NoWaiting keeps no goroutines that wait for calls, for a world among many.
	NoWaiting bool
}

// offered are the modules with remote procedures; over TCP only those that offer
// them there.
func (o Options) offered(tcp bool) (list []module.Module) {
	for _, m := range o.Modules {
		if m.RegisterRPC != nil && (m.RPCOverTCP || !tcp) {
			list = append(list, m)
		}
	}
	return list
}

// procedures is what is known about the procedures of one server: whose they are,
// and how they are counted.
type procedures struct {
	identity *identity.Identity
	log      *telemetry.Telemetry
	meter    clock.Clock
	world    clock.Clock
	faults   *faultrule.Set
	journal  *journal.Journal
	owners   map[string]module.Module // by the service's full name
	metrics  map[string]*telemetry.RouteMetrics
	called   func() // never nil
	closing  chan struct{}
}

// collector notes which module registers which service.
type collector struct {
	server     *grpc.Server
	procedures *procedures
	module     module.Module
}

// RegisterService implements grpc.ServiceRegistrar.
func (c collector) RegisterService(d *grpc.ServiceDesc, implementation any) {
	c.procedures.owners[d.ServiceName] = c.module
	for _, m := range d.Methods {
		c.procedures.metrics["/"+d.ServiceName+"/"+m.MethodName] = c.procedures.log.Route(c.module.Name, m.MethodName)
	}
	c.server.RegisterService(d, implementation)
}

// newServer builds a gRPC server with the modules' procedures and the standard
// health service.
func newServer(o Options, modules []module.Module) (*grpc.Server, *procedures) {
	p := &procedures{
		identity: o.Identity, log: o.Telemetry, meter: clock.Real(), world: o.Clock, faults: o.FaultRules, journal: o.Journal,
		owners: map[string]module.Module{}, metrics: map[string]*telemetry.RouteMetrics{}, called: o.Called,
		closing: make(chan struct{}),
	}
	if p.called == nil {
		p.called = func() {}
	}
	workers := uint32(streamWorkers)
	if o.NoWaiting {
		workers = 0
	}
	s := grpc.NewServer(
		grpc.UnaryInterceptor(p.observe),
		grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage),
		grpc.MaxConcurrentStreams(maxStreams), grpc.MaxHeaderListSize(maxHeaders), grpc.ConnectionTimeout(connectTime),
		grpc.NumStreamWorkers(workers),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: idleTime}),
	)
	for _, m := range modules {
		m.RegisterRPC(collector{server: s, procedures: p, module: m})
	}
	healthapi.RegisterHealthServer(s, &health{procedures: p})
	return s, p
}

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
