package events

import (
	"context"
	"errors"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/flight"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/events/clientrules"
	"stoa.dev/stoa/internal/service/events/discussions"
	"stoa.dev/stoa/internal/service/events/hooks"
	"stoa.dev/stoa/internal/service/events/releases"
)

// Name is the configuration key, the prefix of tables, jobs and limits and the label
// of metrics.
const Name = "events"

// The permissions of tokens, in addition to those of the forge.
const (
	ScopeEventsRead    = "events:read"
	ScopeEventsWrite   = "events:write"
	ScopeOrgEventsRead = "organization_events:read"
)

// Service shows what happens to repositories.
type Service struct {
	world    *world.World
	identity *identity.Identity
	forge    *forge.Forge
	config   Config
	// newTimelineCache describes how the next three work together.
	timelines *memo.Cache[feed, *timeline]
	changes   changeCounters
	loads     *flight.Group[*timeline]
	feedRate  rateMeter
	// meter measures what requests cost. It is real time: the world's may be virtual.
	meter   clock.Clock
	members dialect.Members
	words   words
	// What is said about repositories, and what is released of them.
	discussions *discussions.Discussions
	releases    *releases.Releases
	hooks       *hooks.Hooks
}

// New makes the service, which observes the forge and opens repositories over git.
func New(w *world.World, identity *identity.Identity, repositories *forge.Forge, c Config) *Service {
	s := &Service{
		world: w, identity: identity, forge: repositories, config: c,
		timelines: newTimelineCache(c.CacheBytes), loads: flight.New[*timeline](),
		meter: c.Meter, members: w.Dialect.Members("I"), words: newWords(w.Dialect),
	}
	s.discussions, s.releases = discussions.New(s.host()), releases.New(s.host())
	s.hooks = hooks.New(w, s.host())
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
	return module.Module{
		Name:   Name,
		Title:  "Activity events",
		Letter: "I",
		Prefixes: []string{
			"/events", "/networks", "/orgs", "/repos", "/repositories", "/users", "/user",
			"/rate_limit", "/versions", "/avatars", "/raw", enterprisePrefix,
			// What the code host has elsewhere: not found, in its own form.
			"/feeds", "/graphql", "/search", "/gists", "/notifications", "/issues", "/organizations", "/markdown",
			"/emojis", "/gitignore", "/licenses", "/meta", "/app", "/apps", "/applications", "/installation",
			"/teams", "/zen", "/octocat", "/enterprises", "/advisories",
		},
		Handler:    withEnterprise(route.New(s.muxOptions(), routes)),
		Conduct:    clientrules.Rules(),
		Faults:     s.faultCatalogue(),
		Routes:     routes,
		Migrations: migrations(),
		Jobs:       s.jobs(),
		Start:      s.start,
		Close:      s.close,
		Scopes: []module.Scope{
			{Name: forge.ScopeMetadataRead, Description: "see your private repositories"},
			{Name: forge.ScopeContentsRead, Description: "read the content of your private repositories"},
			{Name: forge.ScopeContentsWrite, Description: "push to your repositories"},
			{Name: forge.ScopeAdministration, Description: "make, change and delete your repositories"},
			{Name: forge.ScopeStarring, Description: "star repositories for you"},
			{Name: discussions.ScopeIssuesRead, Description: "read the issues of your private repositories"},
			{Name: discussions.ScopeIssuesWrite, Description: "open, change and comment on issues for you"},
			{Name: discussions.ScopePullsRead, Description: "read the pull requests of your private repositories"},
			{Name: discussions.ScopePullsWrite, Description: "open, change and review pull requests for you"},
			{Name: ScopeEventsRead, Description: "see your private activity"},
			{Name: ScopeEventsWrite, Description: "report activity in your repositories"},
			{Name: ScopeOrgEventsRead, Description: "see the activity in your organizations"},
		},
		Commands:        s.commands(),
		DemoCredentials: identity.DemoTokens(),
		TokenFormat:     s.tokenFormat,
		CommandGroups:   []module.CommandGroup{{Name: "events", Short: "Record events about repositories"}},
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

// repository finds the repository of a path for a caller. What the caller may
// not read does not exist; an old address is errMoved to what location says.
func (s *Service) repository(
	ctx context.Context, c *identity.Caller, owner, name string, location func(forge.Repository) string,
) (forge.Repository, forge.Permission, error) {
	r, moved, err := s.forge.Find(ctx, owner, name)
	if err != nil {
		return r, forge.None, fromForge(err)
	}
	access, err := s.access(ctx, c, r)
	if err != nil {
		return r, access, err
	}
	if moved {
		return r, access, errMoved(location(r))
	}
	return r, access, nil
}

// access is what the caller may do with a repository, cut down to what the
// token may do.
func (s *Service) access(ctx context.Context, c *identity.Caller, r forge.Repository) (forge.Permission, error) {
	may, err := s.forge.Access(ctx, c, r)
	switch {
	case err != nil:
		return may, err
	case may < forge.Read:
		return may, errNotFound()
	case r.Private && !c.HasScope(forge.ScopeMetadataRead):
		return may, errMissingPermission("metadata=read")
	}
	return may, nil
}

// repoFeed is the feed of a repository. Those who could read it while it was
// private see what happened then.
func (s *Service) repoFeed(ctx context.Context, c *identity.Caller, r forge.Repository, p presentation) (feed, error) {
	f := feed{feedRepo, r.ID, p}
	if c == nil || !c.HasScope(forge.ScopeMetadataRead) {
		return f, nil
	}
	hidden := r
	hidden.Private = true
	may, err := s.forge.Access(ctx, c, hidden)
	if may >= forge.Read {
		f.kind = feedRepoAll
	}
	return f, err
}

// userOf is the user for whom a caller acts, or zero: a token of one repository does
// nothing in the name of the user who had it issued.
func userOf(c *identity.Caller) int64 {
	if c == nil || c.Kind == identity.KindWorkflow || c.Kind == identity.KindProject {
		return 0
	}
	return c.UserID
}

// unknownUserID has empty feeds.
const unknownUserID = -1

// userFeed is what a user did; the private part is for the user alone. A name
// without a user has an empty feed, as a user without public events has, so that
// the answer does not show which accounts exist.
func (s *Service) userFeed(
	ctx context.Context, c *identity.Caller, name string, all, public feedKind, p presentation,
) (feed, error) {
	user, err := s.identity.UserByName(ctx, name)
	if errors.Is(err, identity.ErrNotFound) {
		return feed{public, unknownUserID, p}, nil
	}
	if err != nil {
		return feed{}, err
	}
	if userOf(c) == user.ID && c.HasScope(ScopeEventsRead) {
		return feed{all, user.ID, p}, nil
	}
	return feed{public, user.ID, p}, nil
}

// orgFeed is the public activity of an organization.
func (s *Service) orgFeed(ctx context.Context, name string, p presentation) (feed, error) {
	org, err := s.identity.OrgByName(ctx, name)
	if errors.Is(err, identity.ErrNotFound) {
		return feed{}, errNotFound()
	}
	return feed{feedOrg, org.ID, p}, err
}

// ownedOrg is the organization of a name, for an owner of it. For users who are not
// members it is not found.
func (s *Service) ownedOrg(ctx context.Context, userID int64, name string) (forge.Owner, error) {
	owner, err := s.forge.Owner(ctx, name)
	if err != nil {
		return owner, fromForge(err)
	}
	if owner.Kind != forge.OwnerOrg {
		return owner, errNotFound()
	}
	role, err := s.identity.OrgRoleOf(ctx, owner.ID, userID)
	switch {
	case errors.Is(err, identity.ErrNotFound):
		return owner, errNotFound()
	case err != nil:
		return owner, err
	case role != identity.OrgOwner:
		return owner, errForbidden("You need owner rights in this organization.")
	}
	return owner, nil
}

// userOrgFeed is everything that happens in an organization, for a member who
// is the named user.
func (s *Service) userOrgFeed(ctx context.Context, c *identity.Caller, name, org string, p presentation) (feed, error) {
	switch {
	case c == nil:
		return feed{}, route.ErrNoCredential
	case userOf(c) == 0:
		return feed{}, errUserOnly("organization_events=read")
	case !strings.EqualFold(c.UserName, name):
		return feed{}, errNotFound()
	case !c.HasScope(ScopeOrgEventsRead):
		return feed{}, errMissingPermission("organization_events=read")
	}
	f, err := s.orgFeed(ctx, org, p)
	if err != nil {
		return f, err
	}
	if _, err := s.identity.OrgRoleOf(ctx, f.id, c.UserID); errors.Is(err, identity.ErrNotFound) {
		return f, errNotFound()
	} else if err != nil {
		return f, err
	}
	f.kind = feedOrgAll
	return f, nil
}
