package articles

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/articles/markdown"
)

// Name is the service's one name everywhere.
const Name = "articles"

//go:embed migrations/*.sql
var migrations embed.FS

// Service is the article service.
type Service struct {
	world    *world.World
	identity *identity.Identity
	config   Config
	store    store
	markdown *markdown.Renderer
	shelf    shelf
	sieve    sieve
	tags     tagCache
	views    views
	pages    map[string]*template.Template
	// description is the schema, written when it is first asked for.
	description func() ([]byte, error)
	// flush lets one flush of the views run at a time.
	flush sync.Mutex
}

// New builds the service. It keeps what it is given and touches no store.
func New(w *world.World, identity *identity.Identity, c Config) *Service {
	s := &Service{world: w, identity: identity, config: c, markdown: markdown.New(w.Memory, pagesPrefix), pages: parsePages()}
	s.shelf.draw = s.draw
	s.description = sync.OnceValues(s.describe)
	identity.OnUserChange(func(int64) { s.shelf.apply(change{everything: true}) })
	return s
}

// Module describes the service to the roof.
func (s *Service) Module() module.Module {
	routes, pages := s.routes(), s.pagesRoutes()
	return module.Module{
		Name: Name, Title: "Articles", Letter: "F",
		Prefixes: []string{"/api/v2", previewPath, pagesPrefix},
		Hosts:    []string{"*." + s.config.Host},
		Handler:  faces(route.New(s.muxOptions(), routes), route.New(s.pagesOptions(), pages)),
		Routes:   append(routes, pages...),
		Scopes:   scopes(),

		Migrations: migrationFiles(),
		Jobs:       s.jobs(),
		Start:      s.start,
		Close:      s.close,
		Demo:       s.demo,
		Example: module.Example{
			Credential: "STOA_TOKEN",
			Shell:      `curl -H "Authorization: Bearer $STOA_TOKEN" "$STOA_URL/api/v2/authenticated_user"`,
		},
	}
}

func migrationFiles() database.Migrations { return database.Embedded(Name, migrations) }

func (s *Service) now() time.Time { return s.world.Clock.Now().UTC().Truncate(time.Microsecond) }

func userKey(id int64) string { return "articles/user/" + strconv.FormatInt(id, 10) }

// Place is the edition a request is made in: the public site or a team.
type Place struct{ Team *identity.Team }

// PlaceOf finds the team behind a host name, which carries no port.
func (s *Service) PlaceOf(ctx context.Context, host string) (Place, error) {
	label, ok := strings.CutSuffix(strings.ToLower(strings.TrimSuffix(host, ".")), "."+s.config.Host)
	if !ok || label == "" || strings.Contains(label, ".") {
		return Place{}, nil
	}
	team, err := s.identity.TeamByName(ctx, label)
	if errors.Is(err, identity.ErrNotFound) || (err == nil && !team.Active) {
		return Place{}, errNotFound()
	}
	if err != nil {
		return Place{}, fmt.Errorf("find team: %w", err)
	}
	return Place{Team: &team}, nil
}

// Need is what an operation asks of its caller.
type Need struct {
	// Write is true for every method but GET.
	Write bool
	// Own is true for the caller's own data, which needs a token even to read.
	Own bool
}

// Admit holds the rules of both editions; the caller is nil for strangers.
func (s *Service) Admit(ctx context.Context, p Place, n Need, caller *identity.Caller) error {
	if p.Team == nil {
		return admitPublic(n, caller)
	}
	if caller == nil {
		return route.ErrNoCredential
	}
	if caller.TeamID != 0 && caller.TeamID != p.Team.ID {
		return errForbidden("The token belongs to another team")
	}
	if p.Team.SSOOnly && caller.TeamID == 0 {
		return errForbidden("This team takes team access tokens only")
	}
	if _, err := s.identity.TeamMember(ctx, p.Team.ID, caller.UserID); errors.Is(err, identity.ErrNotFound) {
		return errForbidden("You are not a member of this team")
	} else if err != nil {
		return fmt.Errorf("find member: %w", err)
	}
	s.identity.RecordTeamAccess(p.Team.ID, caller.UserID)
	if n.Write {
		return needScope(caller, ScopeWriteTeam)
	}
	return needScope(caller, ScopeReadTeam)
}

func admitPublic(n Need, caller *identity.Caller) error {
	if !n.Write && !n.Own {
		return nil
	}
	if caller == nil {
		return route.ErrNoCredential
	}
	if n.Write {
		return needScope(caller, ScopeWrite)
	}
	return needScope(caller, ScopeRead)
}

func needScope(caller *identity.Caller, scope string) error {
	if caller.HasScope(scope) {
		return nil
	}
	return &route.ScopeError{Needed: []string{scope}}
}
