package tasks

import (
	"context"
	"embed"
	"encoding/base64"
	"errors"
	"strconv"
	"sync"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/readcache"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/tasks/conductrules"
	"stoa.dev/stoa/internal/service/tasks/consoleresources"
	"stoa.dev/stoa/internal/service/tasks/ownedrows"
)

// Name is the configuration key, the prefix of tables and jobs, the label of metrics
// and the name in scopes and limits.
const Name = "tasks"

//go:embed migrations/*.sql
var migrations embed.FS

// Service keeps task lists.
type Service struct {
	world    *world.World
	identity *identity.Identity
	config   Config
	// pages seals page tokens; its key is known once the world is open.
	pages func() *page.Sealer
	// cache keeps encoded answers, under the revision they were read at.
	cache     *memo.Cache[string, memo.Answer]
	revisions *readcache.Cache[int64, int64] // by user
}

const (
	maxCacheBytes    = 16 << 20
	maxRevisionBytes = 1 << 20
)

// New makes the service.
func New(w *world.World, identity *identity.Identity, c Config) *Service {
	cache := memo.NewAnswers(maxCacheBytes)
	w.ShowCache("tasks.answers", cache.Stats)
	revisions := readcache.New(maxRevisionBytes, userRevision, func(int64, int64) int { return 0 })
	w.ShowCache("tasks.revisions", revisions.Stats)
	return &Service{
		world: w, identity: identity, config: c, cache: cache, revisions: revisions,
		pages: sync.OnceValue(func() *page.Sealer { return page.NewSealer(w.Seal.Derive("tasks page tokens")) }),
	}
}

// Module describes the service to the app.
func (s *Service) Module() module.Module {
	routes := s.routes()
	return module.Module{
		Resources: consoleresources.All(), Owned: ownedrows.All(),
		Name:     Name,
		Title:    "Task lists",
		Letter:   "C",
		Prefixes: []string{"/tasks/v1", pagesPrefix},
		Handler:  s.handler(routes),
		Conduct:  conductrules.Rules(),
		Faults:   faultDefinitions(),
		Routes:   routes,
		API: &module.API{
			Name: Name, Version: "v1", BasePath: "/", BatchParts: 100,
			Booleans: []string{"showCompleted", "showHidden", "showDeleted", "showAssigned"}, Integers: []string{"maxResults"},
		},
		Migrations: migrationFiles(),
		Jobs:       s.jobs(),
		Start:      s.start,
		Scopes: []module.Scope{
			{Name: scopeWrite, Based: true, Description: "create, edit, organize and delete all your tasks"},
			{Name: scopeRead, Based: true, Description: "see your tasks"},
		},
		Demo:            s.demo,
		Seeds:           s.seeds(),
		DemoCredentials: identity.DemoTokens(),
		Example: module.Example{
			Credential: "STOA_TOKEN",
			Shell:      `curl -H "Authorization: Bearer $STOA_TOKEN" "$STOA_URL/tasks/v1/lists/@default/tasks"`,
		},
	}
}

func migrationFiles() database.Migrations { return database.Embedded(Name, migrations) }

func (s *Service) now() time.Time { return s.world.Clock.Now().UTC().Truncate(time.Millisecond) }

// newID has the shape clients know: 16 random characters in base64.
func (s *Service) newID() string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	return base64.RawURLEncoding.EncodeToString([]byte(s.world.IDs.Text(letters, 16)))
}

// write runs one change of a user's data, whose default list exists by then.
func (s *Service) write(ctx context.Context, userID int64, fn changeFunc) error {
	if _, err := s.revision(ctx, userID); err != nil {
		return err
	}
	return s.writeKeyed(ctx, userID, fn)
}

// writeCounted is write for a change that finds a list and gets its revision with
// addTaskCount. Only a user without a list is looked up: reading beside a writer
// costs as much as the change.
func (s *Service) writeCounted(ctx context.Context, userID int64, fn changeFunc) error {
	err := s.world.DB.WriteKeyed(ctx, writeKey(userID), fn)
	var refused *Error
	if !errors.As(err, &refused) || refused.Code != CodeNotFound {
		return err
	}
	switch _, err := userRevision(ctx, s.world.DB, userID); {
	case err == nil:
		return refused
	case !errors.Is(err, database.ErrNotFound):
		return err
	}
	if err := s.createDefaultList(ctx, userID); err != nil {
		return err
	}
	return s.world.DB.WriteKeyed(ctx, writeKey(userID), fn)
}

func writeKey(userID int64) string { return "tasks/" + strconv.FormatInt(userID, 10) }

type changeFunc = func(ctx context.Context, tx *database.Tx) error

// writeKeyed runs a change, which gets the next revision. The changes of one user
// wait for each other, so two clients of one user never lose an update; changes
// of other users do not wait.
func (s *Service) writeKeyed(ctx context.Context, userID int64, fn changeFunc) error {
	return s.world.DB.WriteKeyed(ctx, writeKey(userID), func(ctx context.Context, tx *database.Tx) error {
		if err := fn(ctx, tx); err != nil {
			return err
		}
		return incrementRevision(ctx, tx, userID)
	})
}
