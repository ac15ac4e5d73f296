package rpc

import (
	"time"

	"google.golang.org/grpc"
	healthapi "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"

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
