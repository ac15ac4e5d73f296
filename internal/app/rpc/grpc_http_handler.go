package rpc

import (
	"fmt"
	"net/http"
	"strings"

	"google.golang.org/grpc/status"
)

const grpcMedia = "application/grpc"

// Handler lets gRPC in on a listener of HTTP, where a module offers it there: calls
// are recognized by their media type and authenticated before a byte of them is
// decoded. stop ends what it began.
func Handler(o Options, next http.Handler) (handler http.Handler, stop func()) {
	modules := o.offered(true)
	if len(modules) == 0 {
		return next, func() {}
	}
	server, p := newServer(o, modules)
	calls := newGate(o.Clock)
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.ProtoMajor < 2 || !strings.HasPrefix(q.Header.Get("Content-Type"), grpcMedia) {
			next.ServeHTTP(w, q)
			return
		}
		release, err := calls.enter(q, func() error { return p.admit(q) })
		if err != nil {
			refuse(w, err)
			return
		}
		defer release()
		server.ServeHTTP(w, q)
	}), server.Stop
}

// refuse answers before gRPC is reached: headers that end the call.
func refuse(w http.ResponseWriter, err error) {
	s := status.Convert(err)
	h := w.Header()
	h.Set("Content-Type", grpcMedia)
	h.Set("Grpc-Status", fmt.Sprint(int(s.Code())))
	h.Set("Grpc-Message", s.Message())
	w.WriteHeader(http.StatusOK)
}
