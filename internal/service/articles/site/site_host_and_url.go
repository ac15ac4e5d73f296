package site

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/service/articles/refusal"
)

// Site is the public site or, with a Team, the host of a team.
type Site struct{ Team *identity.Team }

// TeamID is 0 on the public site.
func (site Site) TeamID() int64 {
	if site.Team == nil {
		return 0
	}
	return site.Team.ID
}

// Sites are the public site and the teams' hosts of one server.
type Sites struct {
	identity *identity.Identity
	host     string
	base     func(context.Context) string
}

// New builds the sites of a server. Teams live at TEAM. before host; base is what links of the server begin with.
func New(identity *identity.Identity, host string, base func(context.Context) string) *Sites {
	return &Sites{identity: identity, host: host, base: base}
}

// ByHost finds the team behind a host name, which carries no port.
func (s *Sites) ByHost(ctx context.Context, host string) (Site, error) {
	label, ok := strings.CutSuffix(strings.ToLower(strings.TrimSuffix(host, ".")), "."+s.host)
	if !ok || label == "" || strings.Contains(label, ".") {
		return Site{}, nil
	}
	team, err := s.identity.TeamByName(ctx, label)
	if errors.Is(err, identity.ErrNotFound) || (err == nil && !team.Active) {
		return Site{}, refusal.Missing()
	}
	if err != nil {
		return Site{}, fmt.Errorf("find team: %w", err)
	}
	return Site{Team: &team}, nil
}

// URL is what links of a site begin with, without a slash at its end.
func (s *Sites) URL(ctx context.Context, site Site) string {
	base := s.base(ctx)
	if site.Team == nil {
		return base
	}
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	host := site.Team.Name + "." + s.host
	if port := u.Port(); port != "" {
		host += ":" + port
	}
	u.Host = host
	return strings.TrimSuffix(u.String(), "/")
}
