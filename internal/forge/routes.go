package forge

import (
	"context"
	"net/http"
	"time"

	"stoa.dev/stoa/internal/forge/gitpages"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
	"stoa.dev/stoa/internal/platform/route/credential"
)

// maxQuestion is the largest question of a clone or fetch: a list of commits that
// the client wants and has.
const maxQuestion = 4 << 20

// routes is git's smart HTTP protocol, and the way from an address of git to the pages
// for users: no file of a repository is ever served by its path.
func (f *Forge) routes() []route.Route {
	return append(gitpages.Routes(f.world.URL), []route.Route{
		{
			Method: "GET", Pattern: "/git/{owner}/{repo}/info/refs", Name: "info_refs", Access: route.Optional,
			Timeout: f.config.Timeout, Handle: f.handleInfoRefs,
		},
		{
			Method: "POST", Pattern: "/git/{owner}/{repo}/git-upload-pack", Name: "upload_pack", Access: route.Optional,
			Timeout: f.config.Timeout, MaxBody: maxQuestion, Spools: true, Handle: f.handleUploadPack,
		},
		{
			Method: "POST", Pattern: "/git/{owner}/{repo}/git-receive-pack", Name: "receive_pack", Access: route.Optional,
			Timeout: f.config.Timeout, MaxBody: f.config.MaxPush, Spools: true, Handle: f.handleReceivePack,
		},
	}...)
}

func (f *Forge) muxOptions() route.Options {
	return f.world.RouteOptions(route.Options{
		Service:      Name,
		WriteError:   f.writeError,
		Extract:      extractCredential,
		Authenticate: f.authenticate,
		Gate:         f.gate,
	})
}

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

// networkTimes is how many times more requests all callers of one network may
// make than one of them.
const networkTimes = 4

// gate counts the requests of a caller and of its network: every one of them
// starts a program.
func (f *Forge) gate(_ http.ResponseWriter, r *route.Request) (func(), error) {
	window := limit.Window{Name: "git requests", Limit: f.config.Requests, Per: time.Minute}
	network := "address:" + clientaddr.Network(r.Request)
	if r.Caller == nil {
		_, err := f.world.Limits.Take(r.Context(), window, network, 1)
		return nil, err
	}
	wide := limit.Window{
		Name: "git requests of a network", Limit: networkTimes * f.config.Requests, Per: time.Minute,
	}
	_, err := f.world.Limits.TakeAll(r.Context(), []limit.Charge{
		{Window: window, Key: r.Caller.LimitKey(), Cost: 1}, {Window: wide, Key: network, Cost: 1},
	})
	return nil, err
}
