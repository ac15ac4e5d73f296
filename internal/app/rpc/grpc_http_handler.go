package rpc

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
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

// admit lets a caller in who shows a certificate of the configured authority,
// or a personal or access token of the service that lists one of its scopes:
// no key, no refresh token. Health needs no credential.
func (p *procedures) admit(q *http.Request) error {
	service, _, _ := strings.Cut(strings.TrimPrefix(q.URL.Path, "/"), "/")
	m, ok := p.owners[service]
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
	_, err := p.identity.Verify(q.Context(), strings.TrimSpace(token), need)
	return credentialStatus(err)
}

// credentialStatus does not say why a token is no longer good: that would tell
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

// refuse answers before gRPC is reached: headers that end the call.
func refuse(w http.ResponseWriter, err error) {
	s := status.Convert(err)
	h := w.Header()
	h.Set("Content-Type", grpcMedia)
	h.Set("Grpc-Status", fmt.Sprint(int(s.Code())))
	h.Set("Grpc-Message", s.Message())
	w.WriteHeader(http.StatusOK)
}
