package forge

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/forge/contents"
	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/ownedrows"
	"stoa.dev/stoa/internal/forge/repolock"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
)

// Name is in paths of settings, tables, metrics and logs.
const Name = "forge"

// gitMemory is how many times the memory that requests share all git programs
// may take together, unless forge.memory says otherwise.
const gitMemory = 2

// Observer takes part in the transaction of an activity. It may run more than
// once for one activity and has no effect outside of tx.
type Observer func(ctx context.Context, tx *database.Tx, a Activity) error

// Forge keeps repositories. It is safe for concurrent use.
type Forge struct {
	*contents.Reader
	world    *world.World
	identity *identity.Identity
	config   Config
	git      *git.Runner
	locks    *repolock.Locks
	// observers are set while services are built, before anything runs.
	observers []Observer
	// bindings know the repositories of tokens, see Bind.
	bindings []Binding
	// tokens are accepted over git, see AcceptTokens.
	tokens []ServiceTokens
}

// New builds the forge. It keeps what it is given and touches nothing.
func New(w *world.World, identity *identity.Identity, c Config) *Forge {
	runner := git.New(c.gitOptions(w.Dir, gitMemory*w.Memory.Total()))
	return &Forge{
		Reader: contents.New(runner), world: w, identity: identity, config: c, git: runner, locks: repolock.New(),
	}
}

// Observe adds an observer. Services call it when they are built.
func (f *Forge) Observe(o Observer) { f.observers = append(f.observers, o) }

// Bind adds a service that knows which repository a token was issued for.
// Services call it when they are built.
func (f *Forge) Bind(b Binding) { f.bindings = append(f.bindings, b) }

// AcceptTokens adds a service whose tokens open repositories over git. Services
// call it when they are built.
func (f *Forge) AcceptTokens(t ServiceTokens) { f.tokens = append(f.tokens, t) }

// Module describes the forge to the app. It speaks git's own protocol; a service
// offers repositories as a REST API.
func (f *Forge) Module() module.Module {
	routes := f.routes()
	return module.Module{
		Name:          Name,
		Title:         "Repositories",
		Prefixes:      []string{"/git"},
		Immutable:     []string{"git/*/*/objects/**"},
		Owned:         ownedrows.All(),
		Handler:       route.New(f.muxOptions(), routes),
		Routes:        routes,
		Migrations:    migrations(),
		Jobs:          f.jobs(),
		Start:         f.start,
		Verify:        f.verify,
		Verified:      "repository",
		Commands:      f.commands(),
		CommandGroups: []module.CommandGroup{{Name: "repo", Short: "Make and manage git repositories"}},
		Demo:          f.demo,
		Seeds:         f.seeds(),
		Example: module.Example{
			Credential: "STOA_TOKEN",
			Shell:      `git clone "$STOA_URL/git/$STOA_REPO.git"`,
		},
	}
}

// start records what a crash left unrecorded, and removes what it left over.
func (f *Forge) start(ctx context.Context) error {
	if err := f.recoverPushes(ctx, f.world.DB.Engine() == database.SQLite); err != nil {
		return err
	}
	if err := f.removeOrphans(ctx); err != nil {
		return err
	}
	return f.schedule(ctx)
}

// notify hands an activity to every observer.
func (f *Forge) notify(ctx context.Context, tx *database.Tx, a Activity) error {
	for _, observe := range f.observers {
		if err := observe(ctx, tx, a); err != nil {
			return err
		}
	}
	return nil
}

func (f *Forge) now() time.Time { return f.world.Clock.Now().UTC().Truncate(time.Microsecond) }
