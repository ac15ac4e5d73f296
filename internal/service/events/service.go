package events

import (
	"context"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/flight"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/events/access"
	"stoa.dev/stoa/internal/service/events/apps"
	"stoa.dev/stoa/internal/service/events/conductrules"
	"stoa.dev/stoa/internal/service/events/consoleresources"
	"stoa.dev/stoa/internal/service/events/discussions"
	"stoa.dev/stoa/internal/service/events/graphqlobjects"
	"stoa.dev/stoa/internal/service/events/hooks"
	"stoa.dev/stoa/internal/service/events/hostpaths"
	"stoa.dev/stoa/internal/service/events/oauthapps"
	"stoa.dev/stoa/internal/service/events/ownedrows"
	"stoa.dev/stoa/internal/service/events/releases"
	"stoa.dev/stoa/internal/service/events/repositorypages"
)

// Name is the configuration key, the prefix of tables, jobs and limits and the label
// of metrics.
const Name = "events"

// Service shows what happens to repositories.
type Service struct {
	world     *world.World
	identity  *identity.Identity
	forge     *forge.Forge
	access    *access.Rules
	config    Config
	timelines *memo.Cache[feed, *timeline]
	changes   changeCounters
	loads     *flight.Group[*timeline]
	feedRate  rateMeter
	// meter measures what requests cost. It is real time: the world's may be virtual.
	meter       clock.Clock
	members     dialect.Members
	words       words
	discussions *discussions.Discussions
	releases    *releases.Releases
	hooks       *hooks.Hooks
	apps        *apps.Apps
	oauth       *oauthapps.Apps
	pages       *repositorypages.Pages
	graph       *graphqlobjects.Graph
}

// New makes the service, which observes the forge and opens repositories over git.
func New(
	w *world.World, identity *identity.Identity, grants *grants.Grants, repositories *forge.Forge, c Config,
) *Service {
	s := &Service{
		world: w, identity: identity, forge: repositories, config: c,
		timelines: newTimelineCache(c.CacheBytes), loads: flight.New[*timeline](),
		meter: c.Meter, members: w.Dialect.Members("I"), words: newWords(w.Dialect),
	}
	s.access = s.newAccess()
	s.discussions, s.releases = discussions.New(s.host()), releases.New(s.host())
	s.hooks, s.apps = hooks.New(w, s.host()), apps.New(w, s.host(), Name)
	s.oauth = oauthapps.New(w, s.host(), grants, Name)
	s.pages = repositorypages.New(repositorypages.Options{
		World: w, Identity: identity, Forge: repositories, Discussions: s.discussions, Apps: s.apps,
	})
	s.graph = graphqlobjects.New(graphqlobjects.Options{
		Host: s.host(), Access: s.access, Discussions: s.discussions, Releases: s.releases,
	})
	identity.NameBots(s.apps.Bot)
	w.ShowCache("events.timelines", s.timelines.Stats)
	if s.meter == nil {
		s.meter = clock.Real()
	}
	repositories.AcceptTokens(forge.ServiceTokens{
		Service: Name, Read: []string{forge.ScopeContentsRead}, Write: []string{forge.ScopeContentsWrite},
	})
	repositories.Observe(s.observe)
	return s
}

// Module describes the service to the app.
func (s *Service) Module() module.Module {
	routes := s.routes()
	handler := hostpaths.Before(s.pages.ServeApp, s.oauth.Handler(withEnterprise(route.New(s.muxOptions(), routes))))
	return module.Module{
		Resources: consoleresources.All(), Owned: ownedrows.All(),
		Name: Name, Sealed: hooks.SealedRows(),
		Title:  "Activity events",
		Letter: "I",
		Prefixes: []string{
			"/events", "/networks", "/orgs", "/repos", "/repositories", "/users", "/user",
			"/rate_limit", "/versions", "/avatars", "/raw", enterprisePrefix, oauthapps.Path,
			"/graphql", "/api/graphql", "/meta", "/app", "/apps", "/applications", "/installation",
		},
		Handler: handler,
		Unowned: hostpaths.Unowned(s.pages.Serve, handler), UnownedRoutes: s.pages.Routes(),
		Conduct:         conductrules.Rules(),
		Faults:          s.faultDefinitions(),
		Routes:          append(routes, s.oauth.FlowRoutes()...),
		Migrations:      migrations(),
		Jobs:            s.jobs(),
		Start:           s.start,
		Close:           s.close,
		Scopes:          scopes(),
		Commands:        append(s.commands(), s.apps.Commands()...),
		DemoCredentials: identity.DemoTokens(),
		TokenFormat:     s.tokenFormat,
		CommandGroups: []module.CommandGroup{
			{Name: "events", Short: "Record events about repositories"}, {Name: "app", Short: "Apps of the code host"},
		},
		Example: module.Example{
			Credential: "STOA_TOKEN",
			Shell:      `curl -H "Authorization: Bearer $STOA_TOKEN" "$STOA_URL/repos/$STOA_REPO/events"`,
		},
	}
}

// tokenFormat has the prefix that names the kind of a token.
func (s *Service) tokenFormat(kind identity.Kind) identity.Format {
	word := dialect.OAuthTokenPrefix
	switch kind {
	case identity.KindPersonal:
		word = dialect.PersonalTokenPrefix
	case identity.KindInstallation, identity.KindWorkflow:
		word = dialect.InstallationTokenPrefix
	case identity.KindRefresh:
		word = dialect.RefreshTokenPrefix
	}
	return identity.Format{Prefix: s.world.Dialect.Says(word), Alphabet: identity.Alphanumeric, Length: 36}
}

// newAccess makes the rules of what callers may see.
func (s *Service) newAccess() *access.Rules {
	return access.New(access.Options{
		Identity: s.identity, Forge: s.forge, OrgScope: ScopeOrgEventsRead,
		Bot: func(ctx context.Context, name string) (identity.User, error) { return s.apps.Account(ctx, name) },
		ShownInEvents: func(ctx context.Context, userID int64) (bool, error) {
			return hasPublicEvents(ctx, s.world.DB, userID)
		},
	})
}
