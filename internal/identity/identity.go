package identity

import (
	"cmp"
	"context"
	"embed"
	"log/slog"
	"sync"
	"sync/atomic"

	"stoa.dev/stoa/internal/identity/audittrail"
	"stoa.dev/stoa/internal/identity/callercache"
	"stoa.dev/stoa/internal/identity/oidc"
	"stoa.dev/stoa/internal/identity/passwords"
	"stoa.dev/stoa/internal/identity/teamleave"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/readcache"
	"stoa.dev/stoa/internal/platform/seal"
	"stoa.dev/stoa/internal/platform/world"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Options is what an Identity is built on.
type Options struct {
	DB           *database.DB
	Clock        clock.Clock
	SessionClock clock.Clock // ends sessions, as the machine's does cookies; nil means Clock
	IDs          *ids.Source
	// Log receives what happens in the background; nil discards it.
	Log *slog.Logger

	// ScopeBase is the address before "/auth/NAME" of based scopes, without a
	// trailing slash. It may change while the server runs (port 0) and depend on the
	// address that was asked, so scopes are stored without it.
	ScopeBase func(context.Context) string
	// Dialect knows further spellings of scopes; nil means the contract's own
	// words only.
	Dialect *dialect.Dialect

	// Passwords sets the cost of password hashes; zero means passwords.Default.
	Passwords passwords.Options
	// CacheSize bounds the number of cached callers; 0 means 32768.
	CacheSize int
	// SealKey seals what travels through browsers; every process on one
	// database uses the same. Nil means a key of this process's own.
	SealKey []byte
	// Seal keeps what must be given again, and the private keys of id tokens.
	Seal *seal.Box
	// Address is the address that was asked; a scope written with it is known even
	// where ScopeBase is another. Nil means ScopeBase.
	Address func(context.Context) string
	// SignIn is a provider at which users sign in besides here; nil means none.
	SignIn *oidc.Provider
}

// OptionsFor fills in what a world provides. Scopes are based on the world's
// own address unless the caller configures another.
func OptionsFor(w *world.World) Options {
	o := Options{
		DB: w.DB, Clock: w.Clock, IDs: w.IDs, Log: w.Telemetry.Log, Dialect: w.Dialect, ScopeBase: w.URL, Address: w.URL,
	}
	if w.Seal != nil {
		o.SealKey, o.Seal = w.Seal.ProofKey("identity/authorizations"), w.Seal.For("identity")
	}
	return o
}

// Identity is the one place that knows who is calling. It is safe for
// concurrent use and owns one goroutine, which Close ends.
type Identity struct {
	db           *database.DB
	clock        clock.Clock
	sessionClock clock.Clock
	ids          *ids.Source
	log          *slog.Logger
	o            Options
	cache        *callercache.Cache[cachedCaller] // nil where other processes may change the data
	clients      *memo.Cache[string, Client]
	named        *readcache.Cache[string, User] // by folded name
	lastUsed     lastUsedTimes
	flushMu      sync.Mutex // one flush at a time
	trail        audittrail.Trail
	passwords    *passwords.Hasher
	registry     atomic.Pointer[registry]
	registryMu   sync.Mutex // one registration at a time
	pages        atomic.Pointer[Pages]
	TeamLeave    teamleave.Hooks // run where a user leaves a team
	watchers     struct {
		sync.Mutex
		list []func(id int64)
	}

	stop    chan struct{}
	stopped chan struct{}
	once    sync.Once
	// bots names the accounts of applications; nil names none.
	bots func(ctx context.Context, clientID string) (Bot, error)
}

// New builds an Identity on a database that Migrations have been applied to
// before its first use. Without a database it only knows the services that are
// registered.
func New(o Options) *Identity {
	i := &Identity{
		db: o.DB, clock: o.Clock, sessionClock: cmp.Or(o.SessionClock, o.Clock), ids: o.IDs, log: o.Log,
		clients: memo.New(maxClientBytes, clientCost), passwords: passwords.New(o.Passwords),
		named: readcache.New(maxUserBytes, userByFoldedName, userCost),
		stop:  make(chan struct{}), stopped: make(chan struct{}),
	}
	if o.Log == nil {
		i.log = slog.New(slog.DiscardHandler)
	}
	if o.ScopeBase == nil {
		o.ScopeBase = func(context.Context) string { return "" }
	}
	if o.Address == nil {
		o.Address = o.ScopeBase
	}
	if o.CacheSize <= 0 {
		o.CacheSize = 32768
	}
	if o.SealKey == nil {
		o.SealKey = []byte(o.IDs.Hex(64))
	}
	i.o = o
	i.registry.Store(&registry{})
	i.trail = i.newTrail()
	if o.DB == nil {
		close(i.stopped)
		return i
	}
	if o.DB.Engine() == database.SQLite {
		i.cache = callercache.New[cachedCaller](o.CacheSize)
	}
	go i.flushLoop()
	return i
}

// Migrations create and change the identity_ tables.
func Migrations() database.Migrations { return database.Embedded("identity", migrations) }

// Close ends the background work and writes the last-used times still held.
func (i *Identity) Close() error {
	var err error
	i.once.Do(func() {
		close(i.stop)
		<-i.stopped
		err = i.Flush(context.Background())
	})
	return err
}
