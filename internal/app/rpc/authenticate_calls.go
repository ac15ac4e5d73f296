package rpc

import (
	"errors"
	"net/http"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
)

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
