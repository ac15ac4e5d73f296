package kms

import (
	"context"
	"embed"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	api "k8s.io/kms/apis/v2"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/flight"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/kms/conductrules"
	"stoa.dev/stoa/internal/service/kms/consoleresources"
	"stoa.dev/stoa/internal/service/kms/provider"
)

// Name is the configuration key, the prefix of tables and jobs and the label of metrics.
const Name = "kms"

// scope is what a token needs on the common listener.
const scope = "kms"

// Service encrypts and decrypts under a key that the provider holds.
type Service struct {
	world     *world.World
	config    Config
	providers map[string]Provider
	// buildErr is why the configured provider could not be prepared.
	buildErr error

	// keyring, active and probed are read by every call without a lock.
	keyring atomic.Pointer[keyring]
	active  atomic.Pointer[activeKey]
	probed  atomic.Pointer[probeResult]
	cache   *dataKeyCache
	// shared runs slow work once for all callers that wait for it.
	shared *flight.Group[any]

	// changeMu is held while keyring or active change.
	changeMu sync.Mutex
	// versions is what the remote last listed.
	versions []provider.Version
	// storeWorkedAt is when the store was last read, and written where that was due.
	storeWorkedAt time.Time
	// storeReadAt is when the store last answered, with the monotonic reading: a
	// clock that is set back must not make it look recent for ever.
	storeReadAt atomic.Pointer[time.Time]
	// staleAskedAt is when a Decrypt last had the store read because that was long ago.
	staleAskedAt atomic.Pointer[time.Time]
	// retryAt is when a data key may be renewed early again.
	retryAt atomic.Int64
}

// New makes the service. It does not call the provider. Callers are authenticated
// by the app.
func New(w *world.World, _ *identity.Identity, c Config) *Service {
	s := &Service{
		world: w, config: c, providers: map[string]Provider{},
		cache: newDataKeyCache(c.DataKeyCache), shared: flight.New[any](),
	}
	s.keyring.Store(&keyring{})
	s.storeReadAt.Store(&time.Time{})
	s.buildErr = s.buildProviders()
	return s
}

// Module describes the service to the app.
func (s *Service) Module() module.Module {
	return module.Module{
		Resources: consoleresources.All(),
		Name:      Name,
		Title:     "Key management",
		Letter:    "A",
		RegisterRPC: func(r grpc.ServiceRegistrar) {
			api.RegisterKeyManagementServiceServer(r, &server{service: s})
		},
		RPCOverTCP: s.config.TCP,
		Conduct:    conductrules.Rules(),
		Faults:     s.faultDefinitions(),
		Migrations: migrations(),
		Jobs:       s.jobs(),
		Start:      s.start,
		Close:      s.close,
		Scopes: []module.Scope{
			{Name: scope, Description: "encrypt and decrypt with the cluster's key", Operator: true},
		},
		Check:         s.check,
		Verify:        s.verify,
		Verified:      "key",
		Commands:      s.commands(),
		CommandGroups: []module.CommandGroup{{Name: "kms", Short: "List, rotate and destroy key-encryption keys"}},
		Example: module.Example{
			// Five zero bytes are an empty message in gRPC's framing.
			Shell: `printf '\0\0\0\0\0' | curl -s --http2-prior-knowledge --unix-socket "$STOA_KMS_SOCKET" ` +
				`-H 'Content-Type: application/grpc' -H 'TE: trailers' --data-binary @- ` +
				`http://localhost/v2.KeyManagementService/Status | tr -cd '[:print:]'`,
		},
	}
}

// start opens the keys. It also succeeds when a remote does not answer, because the
// remote may be waiting for the caller; Status says so.
func (s *Service) start(ctx context.Context) error {
	if s.buildErr != nil {
		return s.buildErr
	}
	if err := s.schedule(ctx); err != nil {
		return err
	}
	err := s.change(ctx, s.refresh)
	if err != nil && s.config.Provider == ProviderLocal {
		return err
	}
	if err != nil {
		s.world.Telemetry.Log.LogAttrs(ctx, slog.LevelWarn, "key provider not answering", slog.String("service", Name),
			slog.String("provider", s.config.Provider), slog.String("error", err.Error()))
	}
	return nil
}

func (s *Service) close() error {
	s.shared.Close()
	for _, p := range s.providers {
		p.Close()
	}
	return nil
}

// change runs one fn at a time.
func (s *Service) change(ctx context.Context, fn func(ctx context.Context) error) error {
	s.changeMu.Lock()
	defer s.changeMu.Unlock()
	return fn(ctx)
}

//go:embed migrations/*.sql
var migrationFiles embed.FS

func migrations() database.Migrations { return database.Embedded(Name, migrationFiles) }
