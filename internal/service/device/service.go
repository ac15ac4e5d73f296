package device

import (
	"context"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/signing"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/device/conductrules"
	"stoa.dev/stoa/internal/service/device/consoleresources"
)

// Name is the configuration key, the label of metrics and the name in scopes and limits.
const Name = "device"

// Service translates the states of grants into the contract's words.
type Service struct {
	world    *world.World
	identity *identity.Identity
	grants   *grants.Grants
	keys     *signing.Keys
	config   Config
}

// New makes the service.
func New(w *world.World, identity *identity.Identity, grants *grants.Grants, c Config) *Service {
	return &Service{world: w, identity: identity, grants: grants, keys: signing.New(w), config: c}
}

// warnLongURL tells the operator that devices cannot show the address they are given.
func (s *Service) warnLongURL(ctx context.Context) error {
	if page := s.verificationURL(ctx); len(page) > maxURL {
		s.world.Telemetry.Log.WarnContext(ctx, "device.verification_url should be set: devices show 40 characters",
			"service", Name, "address", page, "characters", len(page))
	}
	return nil
}

// Module describes the service to the app.
func (s *Service) Module() module.Module {
	routes := s.routes()
	return module.Module{
		Resources: consoleresources.All(),
		Name:      Name,
		Title:     "Device authorization",
		Letter:    "J",
		Prefixes: []string{
			"/device/code", "/token", "/revoke", openIDPath, oauthPath,
			"/o/oauth2", "/oauth2/v3", userInfoPath, tokenInfoPath,
		},
		Handler: route.New(s.muxOptions(), routes),
		Conduct: conductrules.Rules(),
		Faults:  faultDefinitions(),
		Routes:  routes,
		Scopes:  scopes(),
		Start:   s.warnLongURL,
		Example: module.Example{
			Credential: "STOA_DEVICE_CLIENT_ID",
			Shell:      `curl -d "client_id=$STOA_DEVICE_CLIENT_ID" -d "scope=video.readonly" "$STOA_URL/device/code"`,
		},
	}
}
