package kms

import (
	"context"
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
	"stoa.dev/stoa/internal/service/kms/envelope"
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
	// storeReadAt is when the store last answered, with the monotonic reading: a
	// clock that is set back must not make it look recent for ever.
	storeReadAt atomic.Pointer[time.Time]
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
		Name:   Name,
		Title:  "Key management",
		Letter: "A",
		RegisterRPC: func(r grpc.ServiceRegistrar) {
			api.RegisterKeyManagementServiceServer(r, &server{service: s})
		},
		RPCOverTCP: s.config.TCP,
		Faults:     s.faultCatalogue(),
		Migrations: migrations(),
		Jobs:       s.jobs(),
		Start:      s.start,
		Close:      s.close,
		Scopes: []module.Scope{
			{Name: scope, Description: "encrypt and decrypt with the cluster's key", Operator: true},
		},
		Check:         s.check,
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

// Encrypt seals a message under the current key.
func (s *Service) Encrypt(ctx context.Context, plaintext []byte) (Sealed, error) {
	if len(plaintext) == 0 {
		return Sealed{}, errInvalid("plaintext is empty")
	}
	if len(plaintext) > maxPlaintext {
		return Sealed{}, errInvalid("plaintext has %d bytes, at most %d fit", len(plaintext), maxPlaintext)
	}
	// One round in the steady state, another after a renewal, more when others
	// used the new data key up in between: every round lets some caller finish.
	for ctx.Err() == nil {
		now := s.world.Clock.Now()
		w := s.active.Load()
		switch {
		case w == nil || s.stale(now):
			if err := s.refreshActive(ctx); err != nil {
				return Sealed{}, err
			}
			continue
		case w.data == nil || !w.data.use(now, s.config.DataKeyUses, s.config.DataKeyTime):
			if err := s.renew(ctx, w); err != nil {
				return Sealed{}, err
			}
			continue
		}
		if w.data.nearEnd(now, s.config.DataKeyUses, s.config.DataKeyTime) && now.UnixNano() >= s.retryAt.Load() {
			s.renewEarly(w, now)
		}
		return w.data.seal(plaintext)
	}
	return Sealed{}, asError("the key provider", ctx.Err())
}

// staleAfter is how long a process that shares its store may encrypt without
// having read it. Destroying waits twice as long, see destroyAfter.
const staleAfter = 5 * time.Minute

// stale reports whether another process may have changed the key since the store
// was read.
func (s *Service) stale(now time.Time) bool {
	return s.world.DB.Engine() == database.Postgres && now.Sub(*s.storeReadAt.Load()) > staleAfter
}

// refreshActive reads store and provider again, and fails when there is still
// nothing to encrypt with.
func (s *Service) refreshActive(ctx context.Context) error {
	_, err := s.shared.Do(ctx, "refresh", func(ctx context.Context) (any, error) {
		return nil, s.change(ctx, s.refresh)
	})
	if err == nil && s.active.Load() == nil {
		err = errNoKey()
	}
	if err == nil && s.stale(s.world.Clock.Now()) {
		err = errStore(nil)
	}
	if err != nil {
		return asError("the key provider", err)
	}
	return nil
}

// renew waits for a new data key.
func (s *Service) renew(ctx context.Context, w *activeKey) error {
	_, err := s.shared.Do(ctx, "renew", func(ctx context.Context) (any, error) { return nil, s.replaceDataKey(ctx, w) })
	if err != nil {
		return asError("the key provider", err)
	}
	return nil
}

// renewEarly has a successor made while the data key still works. When that
// fails, the next attempt waits, so that not every call asks the provider.
func (s *Service) renewEarly(w *activeKey, now time.Time) {
	s.retryAt.Store(now.Add(s.config.ProbeEvery).UnixNano())
	s.shared.Go("renew", func(ctx context.Context) (any, error) {
		err := s.replaceDataKey(ctx, w)
		if err == nil {
			s.retryAt.Store(0)
		}
		return nil, err
	})
}

// replaceDataKey makes the successor of a data key, unless another caller did.
func (s *Service) replaceDataKey(ctx context.Context, w *activeKey) error {
	return s.change(ctx, func(ctx context.Context) error {
		if s.active.Load() != w {
			return nil
		}
		d, err := s.makeDataKey(ctx, w.key)
		if err != nil {
			return err
		}
		s.active.Store(&activeKey{key: w.key, data: d})
		return nil
	})
}

// Decrypt opens what Encrypt answered.
func (s *Service) Decrypt(ctx context.Context, m Sealed) ([]byte, error) {
	wrapped, err := checkSealed(m)
	if err != nil {
		return nil, err
	}
	k := s.keyring.Load().keys[m.KeyID]
	if k == nil {
		if k, err = s.findPublished(ctx, m.KeyID); err != nil {
			return nil, err
		}
	}
	if err := k.checkUsable(); err != nil {
		return nil, err
	}
	d := s.cache.get(m.KeyID, wrapped)
	if d == nil {
		if d, err = s.unwrap(ctx, k, wrapped); err != nil {
			return nil, err
		}
	}
	plaintext, err := d.key.Open(m.Ciphertext, d.binding)
	if err != nil {
		return nil, errInvalid("the ciphertext does not belong to this key id and these annotations, or was altered").
			because(err)
	}
	return plaintext, nil
}

// checkSealed checks sizes and shape and returns the wrapped data key.
func checkSealed(m Sealed) ([]byte, error) {
	switch {
	case len(m.Ciphertext) == 0:
		return nil, errInvalid("ciphertext is empty")
	case len(m.Ciphertext) > maxCiphertextIn:
		return nil, errInvalid("ciphertext has %d bytes, at most %d are allowed", len(m.Ciphertext), maxCiphertextIn)
	case m.KeyID == "":
		return nil, errInvalid("key_id is empty")
	case len(m.KeyID) > maxKeyIDIn:
		return nil, errInvalid("key_id has %d bytes, at most %d are allowed", len(m.KeyID), maxKeyIDIn)
	}
	total := 0
	for name, value := range m.Annotations {
		total += len(name) + len(value)
	}
	if total > maxAnnotationsIn {
		return nil, errInvalid("annotations have %d bytes, at most %d are allowed", total, maxAnnotationsIn)
	}
	wrapped := m.Annotations[annotation]
	if len(m.Annotations) != 1 || len(wrapped) == 0 {
		return nil, errInvalid("annotations must hold %s and nothing else", annotation)
	}
	return wrapped, nil
}

// minRefresh bounds how often unknown key ids cause reads of the store and the
// provider.
const minRefresh = time.Second

// findPublished finds a key that another process published since the last refresh.
func (s *Service) findPublished(ctx context.Context, id string) (*loadedKey, error) {
	var err error
	now := s.world.Clock.Now()
	if now.Sub(*s.storeReadAt.Load()) >= minRefresh {
		_, err = s.shared.Do(ctx, "refresh", func(ctx context.Context) (any, error) {
			return nil, s.change(ctx, s.refresh)
		})
	}
	if k := s.keyring.Load().keys[id]; k != nil {
		return k, nil
	}
	// A failed refresh does not show that there is no such key.
	if err != nil {
		return nil, asError("the key provider", err)
	}
	if now.Sub(*s.storeReadAt.Load()) >= minRefresh {
		return nil, errStore(nil)
	}
	return nil, errUnknownKey(id)
}

// unwrap has a data key opened, once for all callers that wait for it.
func (s *Service) unwrap(ctx context.Context, k *loadedKey, wrapped []byte) (*dataKey, error) {
	got, err := s.shared.Do(ctx, "unwrap "+k.ID+" "+string(wrapped), func(ctx context.Context) (any, error) {
		secret, err := s.providerOf(k.Provider).Unwrap(ctx, k.Version, wrapped, wrapBinding(k.ID))
		if err != nil {
			return nil, err
		}
		defer clear(secret)
		key, err := envelope.NewKey(secret, s.world.IDs)
		if err != nil {
			return nil, errInvalid("the annotations hold no data key of this plugin")
		}
		// The request's memory is used again.
		d := newDataKey(k.ID, append([]byte(nil), wrapped...), key)
		s.cache.put(d)
		return d, nil
	})
	if err != nil {
		return nil, asError("the key provider", err)
	}
	return got.(*dataKey), nil
}
