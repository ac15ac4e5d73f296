package forge

import (
	"context"
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
)

// extractCredential takes the token as the password of Basic with any user name, as
// the user when there is no password, or as a bearer token.
func extractCredential(r *http.Request) (credential.Credential, bool) {
	user, password, ok := r.BasicAuth()
	if !ok {
		return credential.Bearer()(r)
	}
	if password == "" || password == "x-oauth-basic" {
		password = user
	}
	return credential.Credential{Style: "basic", Value: password, Malformed: password == ""}, true
}

// authenticate accepts tokens of the services that AcceptTokens named; what one
// opens is decided per repository, see gitRight.
func (f *Forge) authenticate(ctx context.Context, c credential.Credential) (route.Caller, error) {
	var accepted []identity.Requirement
	for _, t := range f.tokens {
		accepted = append(accepted, identity.Requirement{Service: t.Service, Kinds: identity.TokenKinds()})
	}
	return f.identity.AuthenticatorOf(accepted...)(ctx, c)
}
