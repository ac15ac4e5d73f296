package kms_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/kms"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("internal/poll.runtime_pollWait"))
}

const wrappedName = "wrapped-key.kms.stoa.dev"

// testServer is a world with the service; process makes another process on the
// same store.
type testServer struct {
	*identitytest.Server
	service *kms.Service
	config  kms.Config
}

// run opens a server on each database.
func run(t *testing.T, change func(*kms.Config), fn func(t *testing.T, h *testServer)) {
	t.Helper()
	c := changed(change)
	identitytest.Run(t, build(c), func(t *testing.T, inner *identitytest.Server) { enter(t, inner, c, fn) })
}

// here opens one server, for what does not depend on the database.
func here(t *testing.T, change func(*kms.Config), fn func(t *testing.T, h *testServer)) {
	t.Helper()
	c := changed(change)
	enter(t, identitytest.Open(t, build(c), ""), c, fn)
}

func changed(change func(*kms.Config)) kms.Config {
	c := kms.DefaultConfig()
	if change != nil {
		change(&c)
	}
	return c
}

func build(c kms.Config) identitytest.Build {
	return func(w *world.World, identity *identity.Identity) module.Module {
		return kms.New(w, identity, c).Module()
	}
}

func enter(t *testing.T, inner *identitytest.Server, c kms.Config, fn func(t *testing.T, h *testServer)) {
	t.Helper()
	h := &testServer{Server: inner, config: c}
	h.service = h.process(t, c)
	fn(t, h)
}

// process starts the service once more on the same store.
func (h *testServer) process(t *testing.T, c kms.Config) *kms.Service {
	t.Helper()
	s := kms.New(h.World, h.Identity, c)
	m := s.Module()
	if err := m.Start(t.Context()); err != nil {
		t.Fatalf("start: %v", err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return s
}

func encrypt(t testing.TB, s *kms.Service, text string) kms.Sealed {
	t.Helper()
	m, err := s.Encrypt(context.Background(), []byte(text))
	if err != nil {
		t.Fatalf("Encrypt: %v", err)
	}
	return m
}

func decrypt(t testing.TB, s *kms.Service, m kms.Sealed) string {
	t.Helper()
	got, err := s.Decrypt(context.Background(), m)
	if err != nil {
		t.Fatalf("Decrypt under %s: %v", m.KeyID, err)
	}
	return string(got)
}

func status(t testing.TB, s *kms.Service) kms.Health {
	t.Helper()
	h, err := s.Status(context.Background())
	if err != nil {
		t.Fatalf("Status: %v", err)
	}
	return h
}

// TestNeverRotatedByItself starts with and after a setting that makes no new key by itself.
func TestNeverRotatedByItself(t *testing.T) {
	t.Parallel()
	never := func(c *kms.Config) { c.RotateEvery = 0 }
	run(t, never, func(t *testing.T, h *testServer) {
		h.process(t, changed(nil))
		s := h.process(t, h.config)
		first := status(t, s).KeyID
		h.Clock.Advance(10 * 365 * 24 * time.Hour)
		if err := h.World.Jobs.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if now := status(t, s).KeyID; now != first {
			t.Errorf("the key is %s, want %s as before", now, first)
		}
	})
}

func rotate(t testing.TB, s *kms.Service) string {
	t.Helper()
	k, _, err := s.Rotate(context.Background())
	if err != nil {
		t.Fatalf("Rotate: %v", err)
	}
	return k.ID
}

func code(err error) kms.Code {
	var e *kms.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// clone copies a message so that a test may spoil it.
func clone(m kms.Sealed) kms.Sealed {
	out := kms.Sealed{Ciphertext: bytes.Clone(m.Ciphertext), KeyID: m.KeyID, Annotations: map[string][]byte{}}
	for name, value := range m.Annotations {
		out.Annotations[name] = bytes.Clone(value)
	}
	return out
}

// flip inverts one bit of a text.
func flip(text string, bit int) string {
	b := []byte(text)
	b[bit/8] ^= 1 << (bit % 8)
	return string(b)
}

// TestEveryFlippedBit spoils every bit of everything the caller stores, in a
// process that knows the data key and in one that has to unwrap it.
func TestEveryFlippedBit(t *testing.T) {
	t.Parallel()
	here(t, nil, func(t *testing.T, h *testServer) {
		rotate(t, h.service)
		m := encrypt(t, h.service, "0123456789abcdef0123456789abcdef")
		for name, s := range map[string]*kms.Service{"known": h.service, "unwrapped": h.process(t, h.config)} {
			checkRefused := func(what string, bit int, bad kms.Sealed, want ...kms.Code) {
				got, err := s.Decrypt(t.Context(), bad)
				for _, c := range want {
					if code(err) == c {
						return
					}
				}
				t.Errorf("%s: bit %d of the %s flipped: %q, %v; want %v", name, bit, what, got, err, want)
			}
			for bit := range len(m.Ciphertext) * 8 {
				bad := clone(m)
				bad.Ciphertext[bit/8] ^= 1 << (bit % 8)
				checkRefused("ciphertext", bit, bad, kms.CodeInvalid)
			}
			for bit := range len(m.KeyID) * 8 {
				bad := clone(m)
				bad.KeyID = flip(m.KeyID, bit)
				checkRefused("key id", bit, bad, kms.CodeUnknownKey)
			}
			for bit := range len(m.Annotations[wrappedName]) * 8 {
				bad := clone(m)
				bad.Annotations[wrappedName][bit/8] ^= 1 << (bit % 8)
				checkRefused("annotation", bit, bad, kms.CodeInvalid)
			}
			for bit := range len(wrappedName) * 8 {
				bad := clone(m)
				bad.Annotations = map[string][]byte{flip(wrappedName, bit): m.Annotations[wrappedName]}
				checkRefused("annotation's name", bit, bad, kms.CodeInvalid)
			}
			if got := decrypt(t, s, m); got != "0123456789abcdef0123456789abcdef" {
				t.Errorf("%s: the message itself gives %q", name, got)
			}
		}
	})
}

// TestExchanged puts parts of two good answers together.
func TestExchanged(t *testing.T) {
	t.Parallel()
	here(t, func(c *kms.Config) { c.DataKeyUses = 1 }, func(t *testing.T, h *testServer) {
		one, two := encrypt(t, h.service, "one"), encrypt(t, h.service, "two")
		rotate(t, h.service)
		three := encrypt(t, h.service, "three")
		for name, bad := range map[string]kms.Sealed{
			"another data key":    {Ciphertext: one.Ciphertext, KeyID: one.KeyID, Annotations: two.Annotations},
			"another key":         {Ciphertext: one.Ciphertext, KeyID: three.KeyID, Annotations: one.Annotations},
			"another key and its": {Ciphertext: one.Ciphertext, KeyID: three.KeyID, Annotations: three.Annotations},
			"no annotations":      {Ciphertext: one.Ciphertext, KeyID: one.KeyID},
			"an annotation too many": {
				Ciphertext: one.Ciphertext, KeyID: one.KeyID,
				Annotations: map[string][]byte{wrappedName: one.Annotations[wrappedName], "x.example.com": {1}},
			},
			"an empty annotation": {
				Ciphertext: one.Ciphertext, KeyID: one.KeyID, Annotations: map[string][]byte{wrappedName: nil},
			},
		} {
			if got, err := h.service.Decrypt(t.Context(), bad); code(err) != kms.CodeInvalid {
				t.Errorf("%s: %q, %v; want invalid", name, got, err)
			}
		}
	})
}

func TestSizes(t *testing.T) {
	t.Parallel()
	here(t, nil, func(t *testing.T, h *testServer) {
		for n, fits := range map[int]bool{
			0: false, 1: true, 32: true, 957: true, 958: true, 959: false, 1024: false, 60_000: false,
		} {
			m, err := h.service.Encrypt(t.Context(), make([]byte, n))
			switch {
			case fits && (err != nil || len(m.Ciphertext) > 999 || len(m.Ciphertext) != n+41):
				t.Errorf("%d bytes: ciphertext of %d, %v; want %d", n, len(m.Ciphertext), err, n+41)
			case !fits && code(err) != kms.CodeInvalid:
				t.Errorf("%d bytes: %v, want invalid", n, err)
			}
		}
		m := encrypt(t, h.service, "x")
		annotations := func(n int) map[string][]byte {
			return map[string][]byte{wrappedName: make([]byte, n-len(wrappedName))}
		}
		for name, row := range map[string]struct {
			bad  kms.Sealed
			want string
		}{
			"ciphertext empty": {kms.Sealed{KeyID: m.KeyID, Annotations: m.Annotations}, "ciphertext is empty"},
			"ciphertext 1024": {
				kms.Sealed{Ciphertext: make([]byte, 1024), KeyID: m.KeyID, Annotations: m.Annotations}, "altered",
			},
			"ciphertext 1025": {
				kms.Sealed{Ciphertext: make([]byte, 1025), KeyID: m.KeyID, Annotations: m.Annotations}, "at most 1024",
			},
			"key id empty": {
				kms.Sealed{Ciphertext: m.Ciphertext, Annotations: m.Annotations}, "key_id is empty",
			},
			"key id 1024": {
				kms.Sealed{Ciphertext: m.Ciphertext, KeyID: strings.Repeat("k", 1024), Annotations: m.Annotations},
				"not published",
			},
			"key id 1025": {
				kms.Sealed{Ciphertext: m.Ciphertext, KeyID: strings.Repeat("k", 1025), Annotations: m.Annotations},
				"at most 1024",
			},
			"annotations 32768": {
				kms.Sealed{Ciphertext: m.Ciphertext, KeyID: m.KeyID, Annotations: annotations(32768)}, "does not open",
			},
			"annotations 32769": {
				kms.Sealed{Ciphertext: m.Ciphertext, KeyID: m.KeyID, Annotations: annotations(32769)}, "at most 32768",
			},
			"annotations unlikely": {
				kms.Sealed{Ciphertext: m.Ciphertext, KeyID: m.KeyID, Annotations: annotations(60_000)}, "at most 32768",
			},
		} {
			if _, err := h.service.Decrypt(t.Context(), row.bad); err == nil ||
				!strings.Contains(err.Error(), row.want) || len(err.Error()) > 300 {
				t.Errorf("%s: %v, want %q", name, err, row.want)
			}
		}
	})
}

// TestDataKeyBounds counts how often each data key is used, by many at once.
func TestDataKeyBounds(t *testing.T) {
	t.Parallel()
	const uses, calls = 7, 400
	here(t, func(c *kms.Config) { c.DataKeyUses, c.DataKeyTime = uses, time.Hour }, func(t *testing.T, h *testServer) {
		var (
			mu    sync.Mutex
			group sync.WaitGroup
			count = map[string]int{}
		)
		for range 8 {
			group.Go(func() {
				for range calls / 8 {
					m := encrypt(t, h.service, "x")
					mu.Lock()
					count[string(m.Annotations[wrappedName])]++
					mu.Unlock()
				}
			})
		}
		group.Wait()
		for _, n := range count {
			if n > uses {
				t.Errorf("a data key was used %d times, want at most %d", n, uses)
			}
		}
		last := encrypt(t, h.service, "x")
		h.Clock.Advance(time.Hour)
		next := encrypt(t, h.service, "x")
		if bytes.Equal(next.Annotations[wrappedName], last.Annotations[wrappedName]) {
			t.Error("a data key was used for longer than an hour")
		}
		if got := decrypt(t, h.service, last); got != "x" {
			t.Errorf("an old data key gives %q", got)
		}
	})
}

// TestRotationWhileEncrypting rotates under load. A caller that asked Status never
// gets an older id from Encrypt, ids never come back, and everything decrypts.
func TestRotationWhileEncrypting(t *testing.T) {
	t.Parallel()
	const rotations, writers = 20, 6
	run(t, nil, func(t *testing.T, h *testServer) {
		var (
			group sync.WaitGroup
			done  atomic.Bool
			mu    sync.Mutex
			order = []string{status(t, h.service).KeyID}
			all   = make([][]kms.Sealed, writers)
			seen  = make([][]string, writers)
		)
		for i := range writers {
			group.Go(func() {
				for !done.Load() {
					before := status(t, h.service).KeyID
					m := encrypt(t, h.service, "x")
					seen[i] = append(seen[i], before, m.KeyID, status(t, h.service).KeyID)
					all[i] = append(all[i], m)
				}
			})
		}
		for range rotations {
			id := rotate(t, h.service)
			mu.Lock()
			order = append(order, id)
			mu.Unlock()
		}
		done.Store(true)
		group.Wait()
		place := map[string]int{}
		for i, id := range order {
			if _, again := place[id]; again {
				t.Fatalf("id %s was given out twice", id)
			}
			place[id] = i
		}
		for i := range seen {
			for j := 1; j < len(seen[i]); j++ {
				if place[seen[i][j]] < place[seen[i][j-1]] {
					t.Fatalf("the key went back from %d to %d", place[seen[i][j-1]], place[seen[i][j]])
				}
			}
		}
		fresh := h.process(t, h.config)
		for _, list := range all {
			for _, m := range list {
				decrypt(t, fresh, m)
			}
		}
	})
}

// TestProcessesShareAStore rotates in one process and reads in another.
func TestProcessesShareAStore(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, h *testServer) {
		other := h.process(t, h.config)
		old := encrypt(t, other, "old")
		status(t, other)
		id := rotate(t, h.service)
		m := encrypt(t, h.service, "new")
		if got := status(t, other).KeyID; got != old.KeyID {
			t.Errorf("the other process says %s before it can know", got)
		}
		h.Clock.Advance(2 * time.Second)
		if got := decrypt(t, other, m); got != "new" {
			t.Errorf("the other process reads %q", got)
		}
		h.Clock.Advance(10 * time.Second)
		if got, sealed := status(t, other).KeyID, encrypt(t, other, "x"); got != id || sealed.KeyID != id {
			t.Errorf("the other process says %s and encrypts under %s, want %s", got, sealed.KeyID, id)
		}
	})
}

func TestRotationBySchedule(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, h *testServer) {
		first := status(t, h.service).KeyID
		h.Clock.Advance(89 * 24 * time.Hour)
		settle(t, h)
		if got := h.keys(t)[0]; got.id != first {
			t.Errorf("after 89 days the key is %s, want %s", got.id, first)
		}
		h.Clock.Advance(2 * 24 * time.Hour)
		settle(t, h)
		if got := h.keys(t); len(got) != 2 || got[0].id == first || got[1].id != first {
			t.Errorf("after 91 days the keys are %v, want a new one", got)
		}
		h.Clock.Advance(2 * time.Hour)
		settle(t, h)
		if got := h.keys(t); len(got) != 2 {
			t.Errorf("two hours later there are %d keys, want 2", len(got))
		}
	})
}

func settle(t *testing.T, h *testServer) {
	t.Helper()
	if err := h.World.Jobs.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
}
