package articles

import (
	"context"
	"embed"
	"errors"
	"strconv"
	"sync"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/articles/cache"
	"stoa.dev/stoa/internal/service/articles/conductrules"
	"stoa.dev/stoa/internal/service/articles/consoleresources"
	"stoa.dev/stoa/internal/service/articles/failures"
	"stoa.dev/stoa/internal/service/articles/groups"
	"stoa.dev/stoa/internal/service/articles/invitations"
	"stoa.dev/stoa/internal/service/articles/markdown"
	"stoa.dev/stoa/internal/service/articles/ownedrows"
	"stoa.dev/stoa/internal/service/articles/pageviews"
	"stoa.dev/stoa/internal/service/articles/pictures"
	"stoa.dev/stoa/internal/service/articles/profiles"
	"stoa.dev/stoa/internal/service/articles/search"
	"stoa.dev/stoa/internal/service/articles/site"
	"stoa.dev/stoa/internal/service/articles/tagging"
	"stoa.dev/stoa/internal/service/articles/templates"
	"stoa.dev/stoa/internal/service/articles/tokens"
	"stoa.dev/stoa/internal/service/articles/web"
)

// Name is the service's name in configuration, tables, jobs and logs.
const Name = "articles"

//go:embed migrations/*.sql
var migrations embed.FS

// Service is the article service.
type Service struct {
	world     *world.World
	identity  *identity.Identity
	config    Config
	markdown  pictures.Renderer
	index     *search.Index
	cache     *cache.Cache[User]
	groups    *groups.Groups
	sites     *site.Sites
	tokens    *tokens.Tokens
	profiles  *profiles.Profiles
	pictures  *pictures.Pictures
	invites   *invitations.Invitations
	pageViews pageviews.Counter
	tags      *tagging.Tags
	templates *templates.Templates
	// schema is the description of the API, written when it is first asked for.
	schema func() ([]byte, error)
}

// New builds the service.
func New(w *world.World, identity *identity.Identity, grants *grants.Grants, c Config) *Service {
	s := &Service{world: w, identity: identity, config: c, tags: tagging.NewTags()}
	s.index = search.New(s.findUserID)
	s.cache = cache.New(cache.Options[User]{
		Keeps:     func() bool { return w.DB.Engine() == database.SQLite },
		UserBytes: func(u *User) int { return len(u.json) },
		AddItems:  addItems,
	})
	s.cache.ShowCaches(w.ShowCache)
	w.ShowCache("articles.tags", s.tags.CacheStats)
	s.profiles, s.pictures = profiles.New(w, s.cache.ForgetUsers), pictures.New(w, c.MonthlyUploadBytes)
	s.markdown = pictures.Renderer{Renderer: markdown.New(w.Memory, web.Prefix), Pictures: s.pictures}
	s.groups = groups.New(w, identity, groups.Events{Changed: s.cache.ForgetAll, Released: s.reindexItems})
	s.templates = templates.New(w, s.groups)
	s.sites = site.New(identity, c.Host, w.URL)
	s.tokens = tokens.New(identity, grants, tokens.Config{Service: Name, CodeTTL: c.CodeTTL}, s.site)
	s.invites = invitations.New(w, identity, invitations.Sites{Of: s.site, URL: s.sites.URL, Bounds: pageBounds()})
	s.schema = sync.OnceValues(s.describe)
	identity.OnUserChange(func(int64) { s.cache.ForgetAll() })
	identity.TeamLeave.Add(s.groups.Leave)
	return s
}

func (s *Service) findUserID(ctx context.Context, name string) (int64, error) {
	u, err := s.identity.UserByName(ctx, name)
	if errors.Is(err, identity.ErrNotFound) {
		return 0, nil
	}
	return u.ID, err
}

// Module describes the service to the app.
func (s *Service) Module() module.Module {
	routes, pages := s.routes(), append(s.pages().Routes(), s.invites.PageRoutes()...)
	return module.Module{
		Resources: consoleresources.All(), Owned: ownedrows.All(),
		Name: Name, Title: "Articles", Letter: "F", Blobs: pictures.BlobRows(),
		Prefixes: []string{"/api/v2", previewPath, web.Prefix},
		Hosts:    []string{"*." + s.config.Host},
		Handler:  hostHandler(route.New(s.muxOptions(), routes), route.New(s.pagesOptions(), pages)),
		Conduct:  conductrules.Rules(),
		Faults:   failures.All(Name, statusOfError),
		Routes:   append(routes, pages...),
		Scopes:   site.Scopes(),

		Commands:        s.profiles.Commands(s.identity.UserByName),
		CommandGroups:   []module.CommandGroup{profiles.Group()},
		Migrations:      migrationFiles(),
		Jobs:            s.jobs(),
		Start:           s.start,
		Close:           s.close,
		Demo:            s.demo,
		Seeds:           s.seeds(),
		DemoCredentials: identity.DemoTokens(),
		TokenFormat:     func(identity.Kind) identity.Format { return identity.Hex40() },
		Example: module.Example{
			Credential: "STOA_TOKEN",
			Shell:      `curl -H "Authorization: Bearer $STOA_TOKEN" "$STOA_URL/api/v2/authenticated_user"`,
		},
	}
}

func migrationFiles() database.Migrations { return database.Embedded(Name, migrations) }

func (s *Service) now() time.Time { return s.world.Clock.Now().UTC().Truncate(time.Microsecond) }

// The keys that writers of the same thing wait for.
func userKey(id int64) string     { return "articles/user/" + strconv.FormatInt(id, 10) }
func itemKey(id string) string    { return "articles/item/" + id }
func commentKey(id string) string { return "articles/comment/" + id }
