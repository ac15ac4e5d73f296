package apikeys

import (
	"context"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
)

// Name is the configuration key, the label of metrics and the name in scopes and limits.
const Name = "apikeys"

// Service exchanges API keys.
type Service struct {
	world    *world.World
	identity *identity.Identity
	config   Config
}

// New makes the service.
func New(w *world.World, identity *identity.Identity, c Config) *Service {
	return &Service{world: w, identity: identity, config: c}
}

// Module describes the service to the app.
func (s *Service) Module() module.Module {
	routes := s.routes()
	return module.Module{
		Name:     Name,
		Title:    "API key refresh",
		Letter:   "L",
		Prefixes: []string{"/v2/api-keys"},
		Handler:  route.New(s.muxOptions(), routes),
		Routes:   routes,
		KeyFormat: identity.Format{
			Prefix: s.world.Dialect.Says(dialect.SchedulingKeyPrefix), Alphabet: identity.Hex, Length: 32,
		},
		DemoCredentials: []module.DemoCredential{{Variable: "STOA_SCHEDULING_KEY", Kind: identity.KindAPI}},
		Example: module.Example{
			Credential: "STOA_SCHEDULING_KEY",
			Shell: `curl -X POST -H "Authorization: Bearer $STOA_SCHEDULING_KEY" ` +
				`-H "Content-Type: application/json" -d '{"apiKeyDaysValid":60}' "$STOA_URL/v2/api-keys/refresh"`,
			Note: "replaces the key: works once",
		},
	}
}

// Refresh replaces the caller's key by a new one and returns its secret.
func (s *Service) Refresh(ctx context.Context, caller *identity.Caller, v Validity) (string, error) {
	days, err := s.days(v)
	if err != nil {
		return "", err
	}
	if err := s.mayRefresh(ctx, caller); err != nil {
		return "", err
	}
	_, secret, err := s.identity.ReplaceKey(ctx, caller.TokenID, identity.KeyRenewal{Days: days})
	if errors.Is(err, identity.ErrKeyGone) {
		return "", errUnauthorized("the API key is not valid: it has already been refreshed or revoked")
	}
	if err != nil {
		return "", fmt.Errorf("replace key: %w", err)
	}
	return secret, nil
}

// days applies the rules of L-N1; zero means never.
func (s *Service) days(v Validity) (int, error) {
	switch {
	case v.Days != nil && *v.Days < 1:
		return 0, errViolations([]Violation{daysViolation("min", "apiKeyDaysValid must not be less than 1")})
	case v.Days != nil && *v.Days > s.config.MaxDays:
		return 0, errViolations([]Violation{daysViolation("max",
			fmt.Sprintf("apiKeyDaysValid must not be greater than %d", s.config.MaxDays))})
	case v.Days != nil && v.Never:
		return 0, errInvalid("apiKeyDaysValid and apiKeyNeverExpires cannot be set together; send one of them or none")
	case v.Never:
		return 0, nil
	case v.Days != nil:
		return *v.Days, nil
	}
	return s.config.DefaultDays, nil
}

// mayRefresh checks that the caller manages the team that the key belongs to.
func (s *Service) mayRefresh(ctx context.Context, caller *identity.Caller) error {
	if caller.TeamID == 0 {
		return nil
	}
	refused := errUnauthorized("a team's API key can only be refreshed by an owner or administrator of the team")
	member, err := s.identity.TeamMember(ctx, caller.TeamID, caller.UserID)
	var missing *identity.NotFoundError
	if errors.As(err, &missing) {
		return refused
	}
	if err != nil {
		return fmt.Errorf("team of the key: %w", err)
	}
	if !member.Role.Manages() {
		return refused
	}
	return nil
}

func daysViolation(rule, text string) Violation {
	return Violation{Property: "apiKeyDaysValid", Constraints: []Constraint{{Rule: rule, Text: text}}}
}
