package rpc

import (
	"errors"
	"fmt"
	"net"

	"google.golang.org/grpc"

	"stoa.dev/stoa/internal/app/listen"
	"stoa.dev/stoa/internal/platform/clock"
)

// Socket is a server on a unix socket.
type Socket struct {
	server  *grpc.Server
	closing chan struct{} // ends who watches
	done    chan error
}

// ListenSocket serves the procedures of every module on the socket.
func ListenSocket(path string, access listen.Access, o Options) (*Socket, error) {
	l, err := listen.SocketFor(path, access)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	server, p := newServer(o, o.offered(false))
	s := &Socket{server: server, closing: p.closing, done: make(chan error, 1)}
	go func() { s.done <- server.Serve(l) }()
	return s, nil
}

// Close lets calls in flight finish, but not for ever.
func (s *Socket) Close() error {
	close(s.closing)
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		s.server.GracefulStop()
	}()
	timer := clock.Real().NewTimer(listen.DrainTime)
	defer timer.Stop()
	select {
	case <-finished:
	case <-timer.C:
		s.server.Stop()
		<-finished
	}
	if err := <-s.done; !errors.Is(err, grpc.ErrServerStopped) && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}
