package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthapi "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/telemetry"
)

const (
	// maxMessage bounds one remote procedure call either way.
	maxMessage = 64 << 10
	// maxStreams bounds the calls in flight on one connection.
	maxStreams = 1024
	// rpcWorkers goroutines with grown stacks wait for calls; more calls at once
	// get goroutines of their own.
	rpcWorkers = 32
	// rpcIdle lets go of connections on the socket that nobody uses.
	rpcIdle = 15 * time.Minute

	grpcMedia = "application/grpc"
)

// remote is what the roof knows about remote procedures: whose they are, and
// how they are counted.
type remote struct {
	identity *identity.Identity
	log      *telemetry.Telemetry
	meter    clock.Clock
	owners   map[string]module.Module // by the service's full name
	metrics  map[string]*telemetry.RouteMetrics
}

// collector notes which module registers which service.
type collector struct {
	server *grpc.Server
	remote *remote
	module module.Module
}

// RegisterService implements grpc.ServiceRegistrar.
func (c collector) RegisterService(d *grpc.ServiceDesc, implementation any) {
	c.remote.owners[d.ServiceName] = c.module
	for _, m := range d.Methods {
		c.remote.metrics["/"+d.ServiceName+"/"+m.MethodName] = c.remote.log.Route(c.module.Name, m.MethodName)
	}
	c.server.RegisterService(d, implementation)
}

// rpcModules are those with remote procedures; over TCP only those that offer
// them there.
func (a *App) rpcModules(tcp bool) (list []module.Module) {
	for _, m := range a.modules {
		if m.RegisterRPC != nil && (m.RPCOverTCP || !tcp) {
			list = append(list, m)
		}
	}
	return list
}

// newRPC builds a gRPC server with the modules' procedures and the standard
// health service. Reflection is not offered.
func (a *App) newRPC(modules []module.Module) (*grpc.Server, *remote) {
	r := &remote{
		identity: a.identity, log: a.world.Telemetry, meter: clock.Real(),
		owners: map[string]module.Module{}, metrics: map[string]*telemetry.RouteMetrics{},
	}
	s := grpc.NewServer(
		grpc.UnaryInterceptor(r.observe),
		grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage),
		grpc.MaxConcurrentStreams(maxStreams), grpc.ConnectionTimeout(headerTime),
		grpc.NumStreamWorkers(rpcWorkers),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: rpcIdle}),
	)
	for _, m := range modules {
		m.RegisterRPC(collector{server: s, remote: r, module: m})
	}
	healthapi.RegisterHealthServer(s, &rpcHealth{remote: r, clock: a.world.Clock})
	return s, r
}

// observe counts a call, and turns a panic into an answer.
func (r *remote) observe(ctx context.Context, in any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (out any, err error) {
	start := r.meter.Now()
	defer func() {
		if p := recover(); p != nil {
			r.log.Log.Error("a remote procedure panicked", "method", info.FullMethod, "panic", fmt.Sprint(p))
			out, err = nil, status.Error(codes.Internal, "internal error; the log names the cause")
		}
		if m := r.metrics[info.FullMethod]; m != nil {
			m.Observe(httpStatus(err), r.meter.Now().Sub(start))
		}
		if err != nil {
			r.log.Log.Debug("call refused", "method", info.FullMethod, "code", status.Code(err).String(), "error", err.Error())
		}
	}()
	return handle(ctx, in)
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

// withRPC lets gRPC in on a listener of HTTP, where a module offers it there:
// calls are told by their media type and authenticated before a byte of them is
// decoded.
func (a *App) withRPC(next http.Handler) http.Handler {
	modules := a.rpcModules(true)
	if len(modules) == 0 {
		return next
	}
	server, r := a.newRPC(modules)
	gate := newRPCGate(a.world.Clock)
	a.onClose(func() error { server.Stop(); return nil })
	calls := behindProxies(a.config.Listen.TrustedProxies, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		release, err := gate.enter(q, func() error { return r.admit(q) })
		if err != nil {
			refuseRPC(w, err)
			return
		}
		defer release()
		server.ServeHTTP(w, q)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.ProtoMajor < 2 || !strings.HasPrefix(q.Header.Get("Content-Type"), grpcMedia) {
			next.ServeHTTP(w, q)
			return
		}
		calls.ServeHTTP(w, q)
	})
}

// admit lets a caller in who shows a certificate of the configured authority,
// or a personal or access token of the service that lists one of its scopes:
// no key, no refresh token. Health is for everybody.
func (r *remote) admit(q *http.Request) error {
	service, _, _ := strings.Cut(strings.TrimPrefix(q.URL.Path, "/"), "/")
	m, ok := r.owners[service]
	if !ok || (q.TLS != nil && len(q.TLS.VerifiedChains) > 0) {
		return nil
	}
	kind, token, _ := strings.Cut(q.Header.Get("Authorization"), " ")
	if !strings.EqualFold(kind, "Bearer") || token == "" {
		return status.Error(codes.Unauthenticated, "send a client certificate, or a token as authorization: Bearer TOKEN")
	}
	need := identity.Requirement{Service: m.Name, Kinds: []identity.Kind{identity.KindPersonal, identity.KindAccess}}
	for _, s := range m.Scopes {
		need.Scopes = append(need.Scopes, s.Name)
	}
	_, err := r.identity.Verify(q.Context(), strings.TrimSpace(token), need)
	return credentialStatus(err)
}

// credentialStatus does not tell why a token is no longer good: that would say
// something about the account behind it.
func credentialStatus(err error) error {
	var (
		credential *route.CredentialError
		scope      *route.ScopeError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &scope):
		return status.Error(codes.PermissionDenied, scope.Error())
	case errors.As(identity.CredentialError(err), &credential):
		return status.Error(codes.Unauthenticated, "the token is not valid here")
	}
	return status.Error(codes.Unavailable, "the token cannot be checked right now")
}

// refuseRPC answers before gRPC is reached: headers that end the call.
func refuseRPC(w http.ResponseWriter, err error) {
	s := status.Convert(err)
	h := w.Header()
	h.Set("Content-Type", grpcMedia)
	h.Set("Grpc-Status", fmt.Sprint(int(s.Code())))
	h.Set("Grpc-Message", s.Message())
	w.WriteHeader(http.StatusOK)
}

// listenRPC serves every module's procedures on the socket, where the file's
// permissions decide who may call.
func (a *App) listenRPC() error {
	path, modules := a.config.Listen.KMS, a.rpcModules(false)
	if path == "" || len(modules) == 0 {
		return nil
	}
	l, err := listenSocket(path)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", path, err)
	}
	server, _ := a.newRPC(modules)
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	a.onClose(func() error {
		stopRPC(server)
		if err := <-done; !errors.Is(err, grpc.ErrServerStopped) && !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	})
	return nil
}

// stopRPC lets calls in flight finish, but not for ever.
func stopRPC(s *grpc.Server) {
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		s.GracefulStop()
	}()
	timer := clock.Real().NewTimer(drainTime)
	defer timer.Stop()
	select {
	case <-finished:
	case <-timer.C:
		s.Stop()
		<-finished
	}
}
