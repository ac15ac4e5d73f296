package apikeys

import (
	"context"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
)

// Name is the service's one name everywhere.
const Name = "apikeys"

// Service exchanges API keys.
type Service struct {
	world    *world.World
	identity *identity.Identity
	config   Config
}

// New builds the service. It keeps what it is given and touches no store.
func New(w *world.World, identity *identity.Identity, c Config) *Service {
	return &Service{world: w, identity: identity, config: c}
}

// Module describes the service to the roof.
func (s *Service) Module() module.Module {
	routes := s.routes()
	return module.Module{
		Name:     Name,
		Title:    "API key refresh",
		Letter:   "L",
		Prefixes: []string{"/v2/api-keys"},
		Handler:  route.New(s.muxOptions(), routes),
		Routes:   routes,
		Example: module.Example{
			Credential: "STOA_SCHEDULING_KEY",
			Shell:      `curl -X POST -H "Authorization: Bearer $STOA_SCHEDULING_KEY" -H "Content-Type: application/json" -d '{"apiKeyDaysValid":60}' "$STOA_URL/v2/api-keys/refresh"`,
			Note:       "replaces the key: works once",
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
		return "", errKeyGone()
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
		return 0, errBothSet()
	case v.Never:
		return 0, nil
	case v.Days != nil:
		return *v.Days, nil
	}
	return s.config.DefaultDays, nil
}

// mayRefresh holds the rule that team keys are managed by those who manage
// the team.
func (s *Service) mayRefresh(ctx context.Context, caller *identity.Caller) error {
	if caller.TeamID == 0 {
		return nil
	}
	member, err := s.identity.TeamMember(ctx, caller.TeamID, caller.UserID)
	var missing *identity.NotFoundError
	if errors.As(err, &missing) {
		return errTeamRole()
	}
	if err != nil {
		return fmt.Errorf("team of the key: %w", err)
	}
	if !member.Role.Manages() {
		return errTeamRole()
	}
	return nil
}

func daysViolation(rule, text string) Violation {
	return Violation{Property: "apiKeyDaysValid", Constraints: []Constraint{{Rule: rule, Text: text}}}
}
