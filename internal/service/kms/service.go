package kms

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	api "k8s.io/kms/apis/v2"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/kms/envelope"
	"stoa.dev/stoa/internal/service/kms/provider"
)

// Name is the service's one name everywhere.
const Name = "kms"

// scope is what a token needs on the common listener.
const scope = "kms"

// Service encrypts and decrypts under a key that the provider holds.
type Service struct {
	world     *world.World
	config    Config
	providers map[string]Provider
	// unbuilt is why the configured provider could not be prepared.
	unbuilt error

	// ring and writer are read by every call without a lock.
	ring    atomic.Pointer[ring]
	writer  atomic.Pointer[writer]
	verdict atomic.Pointer[verdict]
	cache   *dataKeys
	flights *flights

	// changing is held by whoever changes ring or writer.
	changing sync.Mutex
	// versions is what the remote last listed.
	versions []provider.Version
	// storeSeen is when the store last answered, with the monotonic reading: a
	// clock that is set back must not make it look recent for ever.
	storeSeen atomic.Pointer[time.Time]
	// retryAt is when a data key may be renewed early again.
	retryAt atomic.Int64
}

// New builds the service. It keeps what it is given, touches no store and
// calls no provider. Callers are authenticated by the roof.
func New(w *world.World, _ *identity.Identity, c Config) *Service {
	s := &Service{
		world: w, config: c, providers: map[string]Provider{},
		cache: newDataKeys(c.DataKeyCache), flights: newFlights(),
	}
	s.ring.Store(&ring{})
	s.storeSeen.Store(&time.Time{})
	s.unbuilt = s.buildProviders()
	return s
}

// Module describes the service to the roof.
func (s *Service) Module() module.Module {
	return module.Module{
		Name:   Name,
		Title:  "Key management",
		Letter: "A",
		RegisterRPC: func(r grpc.ServiceRegistrar) {
			api.RegisterKeyManagementServiceServer(r, &server{service: s})
		},
		RPCOverTCP: s.config.TCP,
		Migrations: migrations(),
		Jobs:       s.jobs(),
		Start:      s.start,
		Close:      s.close,
		Scopes:     []module.Scope{{Name: scope, Words: "encrypt and decrypt with the cluster's key", Operator: true}},
		Check:      s.check,
		Commands:   s.commands(),
		Example: module.Example{
			// Five zero bytes are an empty message in gRPC's framing.
			Shell: `printf '\0\0\0\0\0' | curl -s --http2-prior-knowledge --unix-socket "$STOA_KMS_SOCKET" -H 'Content-Type: application/grpc' ` +
				`-H 'TE: trailers' --data-binary @- http://localhost/v2.KeyManagementService/Status | tr -cd '[:print:]'`,
		},
	}
}

// start opens the keys. A remote that does not answer is no reason not to
// start: the caller may be what the remote waits for. Status tells.
func (s *Service) start(ctx context.Context) error {
	if s.unbuilt != nil {
		return s.unbuilt
	}
	if err := s.schedule(ctx); err != nil {
		return err
	}
	err := s.change(ctx, s.refresh)
	if err != nil && s.config.Provider == ProviderLocal {
		return err
	}
	if err != nil {
		s.world.Telemetry.Log.Warn("the key provider does not answer yet", "service", Name,
			"provider", s.config.Provider, "error", err.Error())
	}
	return nil
}

func (s *Service) close() error {
	s.flights.close()
	for _, p := range s.providers {
		p.Close()
	}
	return nil
}

// change runs fn alone.
func (s *Service) change(ctx context.Context, fn func(ctx context.Context) error) error {
	s.changing.Lock()
	defer s.changing.Unlock()
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
	// One turn in the steady state, another after a renewal, more when others
	// used the new data key up in between: somebody gets on with every turn.
	for ctx.Err() == nil {
		now := s.world.Clock.Now()
		w := s.writer.Load()
		switch {
		case w == nil || s.stale(now):
			if err := s.catchUp(ctx); err != nil {
				return Sealed{}, err
			}
			continue
		case w.data == nil || !w.data.take(now, s.config.DataKeyUses, s.config.DataKeyTime):
			if err := s.renew(ctx, w); err != nil {
				return Sealed{}, err
			}
			continue
		}
		if w.data.worn(now, s.config.DataKeyUses, s.config.DataKeyTime) && now.UnixNano() >= s.retryAt.Load() {
			s.renewEarly(w, now)
		}
		return w.data.answer(plaintext)
	}
	return Sealed{}, asError("the key provider", ctx.Err())
}

// staleAfter is how long a process that shares its store may encrypt without
// having looked at it. Destroying waits twice as long, see destroyAfter.
const staleAfter = 5 * time.Minute

// stale tells that another process may have changed the key since we looked.
func (s *Service) stale(now time.Time) bool {
	return s.world.DB.Engine() == database.Postgres && now.Sub(*s.storeSeen.Load()) > staleAfter
}

// catchUp looks at store and provider again and fails when neither the one nor
// the other let us encrypt.
func (s *Service) catchUp(ctx context.Context) error {
	_, err := s.flights.do(ctx, "refresh", func(ctx context.Context) (any, error) {
		return nil, s.change(ctx, s.refresh)
	})
	if err == nil && s.writer.Load() == nil {
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
func (s *Service) renew(ctx context.Context, w *writer) error {
	_, err := s.flights.do(ctx, "renew", func(ctx context.Context) (any, error) { return nil, s.replace(ctx, w) })
	if err != nil {
		return asError("the key provider", err)
	}
	return nil
}

// renewEarly has a successor made while the data key still works. When that
// fails, the next attempt waits: the provider is not asked at every call.
func (s *Service) renewEarly(w *writer, now time.Time) {
	s.retryAt.Store(now.Add(s.config.ProbeEvery).UnixNano())
	s.flights.start("renew", func(ctx context.Context) (any, error) {
		err := s.replace(ctx, w)
		if err == nil {
			s.retryAt.Store(0)
		}
		return nil, err
	})
}

// replace makes the successor of a writer's data key, unless somebody did.
func (s *Service) replace(ctx context.Context, w *writer) error {
	return s.change(ctx, func(ctx context.Context) error {
		if s.writer.Load() != w {
			return nil
		}
		d, err := s.makeDataKey(ctx, w.key)
		if err != nil {
			return err
		}
		s.writer.Store(&writer{key: w.key, data: d})
		return nil
	})
}

// Decrypt opens a message with what Encrypt answered beside it.
func (s *Service) Decrypt(ctx context.Context, m Sealed) ([]byte, error) {
	wrapped, err := checkSealed(m)
	if err != nil {
		return nil, err
	}
	k := s.ring.Load().keys[m.KeyID]
	if k == nil {
		if k, err = s.lookAgain(ctx, m.KeyID); err != nil {
			return nil, err
		}
	}
	if err := k.usable(); err != nil {
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
		return nil, fail(CodeInvalid, err, "the ciphertext does not belong to this key id and these annotations, or was altered")
	}
	return plaintext, nil
}

// checkSealed looks at sizes and shape and returns the wrapped data key.
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

// lookAgainAfter bounds how often an unknown key id makes us ask the store and
// the provider.
const lookAgainAfter = time.Second

// lookAgain asks whether another process published the key.
func (s *Service) lookAgain(ctx context.Context, id string) (*heldKey, error) {
	var err error
	now := s.world.Clock.Now()
	if now.Sub(*s.storeSeen.Load()) >= lookAgainAfter {
		_, err = s.flights.do(ctx, "refresh", func(ctx context.Context) (any, error) {
			return nil, s.change(ctx, s.refresh)
		})
	}
	if k := s.ring.Load().keys[id]; k != nil {
		return k, nil
	}
	// Not knowing is not the same as knowing that there is none.
	if err != nil {
		return nil, asError("the key provider", err)
	}
	if now.Sub(*s.storeSeen.Load()) >= lookAgainAfter {
		return nil, errStore(nil)
	}
	return nil, errUnknownKey(id)
}

// unwrap has a data key opened, once for everybody who waits for it.
func (s *Service) unwrap(ctx context.Context, k *heldKey, wrapped []byte) (*dataKey, error) {
	got, err := s.flights.do(ctx, "unwrap "+k.ID+" "+string(wrapped), func(ctx context.Context) (any, error) {
		secret, err := s.providerOf(k.Provider).Unwrap(ctx, k.Version, wrapped, wrapBinding(k.ID))
		if err != nil {
			return nil, err
		}
		defer clear(secret)
		key, err := envelope.NewKey(secret, s.world.IDs)
		if err != nil {
			return nil, errInvalid("the annotations hold no data key of this plugin")
		}
		// The request's memory is not ours to keep.
		d := newDataKey(k.ID, append([]byte(nil), wrapped...), key)
		s.cache.put(d)
		return d, nil
	})
	if err != nil {
		return nil, asError("the key provider", err)
	}
	return got.(*dataKey), nil
}
