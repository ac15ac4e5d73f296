package kms_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/kms"
	"stoa.dev/stoa/internal/service/kms/transit/transittest"
)

// remote runs fn with a key in a stand-in, one per database.
func remote(t *testing.T, change func(*kms.Config), fn func(t *testing.T, h *testServer, server *transittest.Server)) {
	t.Helper()
	run(t, nil, func(t *testing.T, h *testServer) {
		server := transittest.Start(t)
		h.config = transitConfig(h.config, server)
		if change != nil {
			change(&h.config)
		}
		h.service = h.process(t, h.config)
		fn(t, h, server)
		if bad := server.Refusals(); len(bad) > 0 {
			t.Errorf("the server refused %q", bad)
		}
		if log := h.Log.String(); strings.Contains(log, transittest.Token) {
			t.Errorf("the token was logged: %s", log)
		}
	})
}

func transitConfig(c kms.Config, server *transittest.Server) kms.Config {
	c.Provider = kms.ProviderTransit
	// The stand-in answers; only a busy machine keeps it from doing so in time.
	c.CallTimeout = time.Minute
	c.Transit.Address, c.Transit.Key, c.Transit.Token = server.URL, transittest.KeyName, transittest.Token
	return c
}

// later advances the clock past the last probe.
func (h *testServer) later() { h.Clock.Advance(10 * time.Second) }

func TestChangeOfProvider(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, h *testServer) {
		server := transittest.Start(t)
		local := encrypt(t, h.service, "local")
		there := h.process(t, transitConfig(h.config, server))
		away := encrypt(t, there, "away")
		if !strings.HasPrefix(away.KeyID, "transit-") || status(t, there).KeyID != away.KeyID {
			t.Errorf("encrypted under %s, want the transit key", away.KeyID)
		}
		if got := decrypt(t, there, local); got != "local" {
			t.Errorf("the local key gives %q", got)
		}
		// Back home: a new local key, and the transit key only while it is configured.
		c := transitConfig(h.config, server)
		c.Provider = kms.ProviderLocal
		back := h.process(t, c)
		home := encrypt(t, back, "home")
		if home.KeyID == local.KeyID || !strings.HasPrefix(home.KeyID, "local-") {
			t.Errorf("encrypted under %s, want a new local key", home.KeyID)
		}
		if got := decrypt(t, back, away); got != "away" {
			t.Errorf("the transit key gives %q", got)
		}
		if _, err := h.process(t, h.config).Decrypt(t.Context(), away); code(err) != kms.CodeUnusable {
			t.Errorf("without the provider: %v, want unusable", err)
		}
		// And there again: the same version gets another id.
		again := h.process(t, transitConfig(h.config, server))
		if got := status(t, again).KeyID; got == away.KeyID {
			t.Errorf("id %s came back", got)
		}
		if got := decrypt(t, again, away); got != "away" {
			t.Errorf("the first id gives %q", got)
		}
	})
}

// TestPluginsAgree gives two plugins stores of their own and one remote key.
func TestPluginsAgree(t *testing.T) {
	t.Parallel()
	server := transittest.Start(t)
	run(t, nil, func(t *testing.T, one *testServer) {
		s := one.process(t, transitConfig(one.config, server))
		m, id := encrypt(t, s, "shared"), status(t, s).KeyID
		here(t, nil, func(t *testing.T, two *testServer) {
			other := two.process(t, transitConfig(two.config, server))
			if got := status(t, other).KeyID; got != id {
				t.Errorf("the second plugin says %s, want %s", got, id)
			}
			if got := decrypt(t, other, m); got != "shared" {
				t.Errorf("the second plugin reads %q", got)
			}
		})
	})
}

func TestRemoteRotation(t *testing.T) {
	t.Parallel()
	remote(t, nil, func(t *testing.T, h *testServer, server *transittest.Server) {
		ids := map[string]bool{}
		first := encrypt(t, h.service, "first")
		for range 3 {
			ids[rotate(t, h.service)] = true
		}
		server.Rotate()
		h.later()
		ids[status(t, h.service).KeyID] = true
		server.Recreate()
		h.later()
		id := status(t, h.service).KeyID
		if ids[id] || id == first.KeyID || len(ids) != 4 {
			t.Errorf("ids = %v, then %s; want all different", ids, id)
		}
		if _, err := h.process(t, h.config).Decrypt(t.Context(), first); err == nil {
			t.Error("a key made anew decrypts what the old one encrypted")
		}
	})
}

// TestRemoteFailures looks at each failure as Status, Encrypt and Decrypt see
// it. Nothing that is remembered needs the provider.
func TestRemoteFailures(t *testing.T) {
	t.Parallel()
	remote(t, func(c *kms.Config) { c.DataKeyUses = 1 }, func(t *testing.T, h *testServer, server *transittest.Server) {
		m := encrypt(t, h.service, "kept")
		cold := h.process(t, h.config)
		id := status(t, h.service).KeyID
		for _, row := range []struct {
			name             string
			spoil, mend      func()
			encrypt, decrypt kms.Code
			text             string
		}{
			{
				"sealed", func() { server.Fail(http.StatusServiceUnavailable) }, func() { server.Fail(0) },
				kms.CodeUnavailable, kms.CodeUnavailable, "503: Vault is sealed",
			},
			{
				"throttled", func() { server.Fail(http.StatusTooManyRequests) }, func() { server.Fail(0) },
				kms.CodeExhausted, kms.CodeExhausted, "429",
			},
			{
				"gone", func() { server.Fail(http.StatusNotFound) }, func() { server.Fail(0) },
				kms.CodeUnusable, kms.CodeUnusable, "404",
			},
			{
				"no permission to encrypt", func() { server.Deny("encrypt") }, func() { server.Deny("") },
				kms.CodeDenied, "", "403",
			},
			{
				"no permission to decrypt", func() { server.Deny("decrypt") }, func() { server.Deny("") },
				"", kms.CodeDenied, "403",
			},
			{"no permission to read", func() { server.Deny("keys") }, func() { server.Deny("") }, "", "", "403"},
			{
				"another type", func() { server.Type("rsa-4096") }, func() { server.Type("aes256-gcm96") }, "", "",
				"rsa-4096",
			},
		} {
			row.spoil()
			h.later()
			if got := status(t, h.service); got.Text == kms.Healthy || !strings.Contains(got.Text, row.text) ||
				got.KeyID != id {
				t.Errorf("%s: Status = %+v, want %q and the same id", row.name, got, row.text)
			}
			// The data key at hand has one use; the next needs the provider.
			_, _ = h.service.Encrypt(t.Context(), []byte("x"))
			_, err := h.service.Encrypt(t.Context(), []byte("x"))
			if code(err) != row.encrypt {
				t.Errorf("%s: Encrypt = %v, want %q", row.name, err, row.encrypt)
			}
			if row.decrypt != "" {
				if _, err := cold.Decrypt(t.Context(), m); code(err) != row.decrypt {
					t.Errorf("%s: Decrypt = %v, want %q", row.name, err, row.decrypt)
				}
			}
			if got := decrypt(t, h.service, m); got != "kept" {
				t.Errorf("%s: a known data key gives %q", row.name, got)
			}
			row.mend()
			h.later()
			if got := status(t, h.service); got.Text != kms.Healthy || got.KeyID != id {
				t.Errorf("%s: afterwards Status = %+v", row.name, got)
			}
		}
		decrypt(t, cold, m)
	})
}

// TestUnwrappedKeyOfAnotherSize refuses what the provider opened but is no data key.
func TestUnwrappedKeyOfAnotherSize(t *testing.T) {
	t.Parallel()
	remote(t, nil, func(t *testing.T, h *testServer, server *transittest.Server) {
		m, cold := encrypt(t, h.service, "kept"), h.process(t, h.config)
		server.Shorten(16)
		if _, err := cold.Decrypt(t.Context(), m); code(err) != kms.CodeInvalid {
			t.Errorf("with half a key: %v, want %q", err, kms.CodeInvalid)
		}
		server.Shorten(0)
		if got := decrypt(t, cold, m); got != "kept" {
			t.Errorf("afterwards: %q", got)
		}
	})
}

// TestStartWithoutTheRemote checks that the service starts, says what is wrong and
// recovers.
func TestStartWithoutTheRemote(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, h *testServer) {
		server := transittest.Start(t)
		server.Fail(http.StatusServiceUnavailable)
		s := h.process(t, transitConfig(h.config, server))
		if _, err := s.Encrypt(t.Context(), []byte("x")); code(err) != kms.CodeUnavailable {
			t.Errorf("Encrypt = %v, want unavailable", err)
		}
		if got, err := s.Status(t.Context()); code(err) != kms.CodeUnavailable {
			t.Errorf("Status = %+v, %v; want unavailable: no key of this provider was ever published", got, err)
		}
		server.Fail(0)
		h.later()
		if got := status(t, s); got.Text != kms.Healthy {
			t.Errorf("Status = %+v, want health", got)
		}
		if m := encrypt(t, s, "x"); m.KeyID != status(t, s).KeyID {
			t.Errorf("encrypted under %s", m.KeyID)
		}
	})
}

// TestStartWithoutASavedKey has a store that is read and not written and has no key: the program does not start, and
// says why.
func TestStartWithoutASavedKey(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, h *testServer) {
		for _, command := range []string{
			`ALTER TABLE kms_keys RENAME TO kms_saved`,
			`CREATE VIEW kms_keys AS SELECT DISTINCT * FROM kms_saved WHERE seq < 0`,
		} {
			if _, err := h.World.DB.Exec(t.Context(), command); err != nil {
				t.Fatal(err)
			}
		}
		m := kms.New(h.World, h.Identity, h.config).Module()
		if err := m.Start(t.Context()); code(err) != kms.CodeUnavailable || m.Close() != nil {
			t.Errorf("start: %v, want it to say that the store does not answer", err)
		}
	})
}

// TestRestartWithoutTheRemote checks that the id stays while the remote does not
// answer: only a plugin that never had a key fails Status.
func TestRestartWithoutTheRemote(t *testing.T) {
	t.Parallel()
	remote(t, nil, func(t *testing.T, h *testServer, server *transittest.Server) {
		m := encrypt(t, h.service, "kept")
		server.Fail(http.StatusServiceUnavailable)
		s := h.process(t, h.config)
		if got, err := s.Status(t.Context()); err != nil || got.KeyID != m.KeyID ||
			!strings.Contains(got.Text, "sealed") {
			t.Errorf("Status = %+v, %v; want id %s and a reason", got, err, m.KeyID)
		}
		if _, err := s.Encrypt(t.Context(), []byte("x")); code(err) != kms.CodeUnavailable {
			t.Errorf("Encrypt = %v, want unavailable", err)
		}
		if _, err := s.Decrypt(t.Context(), m); code(err) != kms.CodeUnavailable {
			t.Errorf("Decrypt = %v, want unavailable", err)
		}
		server.Fail(0)
		h.later()
		if got := status(t, s); got.Text != kms.Healthy || got.KeyID != m.KeyID {
			t.Errorf("afterwards Status = %+v", got)
		}
		if got := decrypt(t, s, m); got != "kept" {
			t.Errorf("Decrypt = %q", got)
		}
	})
}

// TestDestroyedElsewhere has a process that cannot activate the new key while
// another destroys the old one: it must not go on encrypting under it.
func TestDestroyedElsewhere(t *testing.T) {
	t.Parallel()
	remote(t, nil, func(t *testing.T, h *testServer, server *transittest.Server) {
		stuck := h.process(t, h.config)
		old := encrypt(t, stuck, "old").KeyID
		rotate(t, h.service)
		server.Deny("encrypt")
		h.later()
		if got := status(t, stuck); got.KeyID != old || got.Text == kms.Healthy {
			t.Fatalf("Status = %+v, want the old id and a reason", got)
		}
		h.Clock.Advance(10 * time.Minute)
		status(t, stuck)
		if _, err := h.service.Destroy(t.Context(), old); err != nil {
			t.Fatalf("destroy: %v", err)
		}
		h.later()
		status(t, stuck)
		if m, err := stuck.Encrypt(t.Context(), []byte("x")); code(err) != kms.CodeUnusable {
			t.Errorf("Encrypt = %s, %v; want unusable", m.KeyID, err)
		}
		server.Deny("")
		h.later()
		if got, m := status(t, stuck), encrypt(t, stuck, "x"); got.KeyID == old || m.KeyID != got.KeyID {
			t.Errorf("afterwards Status = %+v, Encrypt under %s", got, m.KeyID)
		}
	})
}

// TestBurst restarts a cluster with many secrets: one call per data key.
func TestBurst(t *testing.T) {
	t.Parallel()
	change := func(c *kms.Config) { c.DataKeyUses = 100 }
	remote(t, change, func(t *testing.T, h *testServer, server *transittest.Server) {
		var stored []kms.Sealed
		for range 1000 {
			stored = append(stored, encrypt(t, h.service, "x"))
		}
		cold := h.process(t, h.config)
		before := server.Calls("POST transit/decrypt/" + transittest.KeyName)
		var group sync.WaitGroup
		for part := range 8 {
			group.Go(func() {
				for i := part; i < len(stored); i += 8 {
					decrypt(t, cold, stored[i])
				}
			})
		}
		group.Wait()
		// Keys are renewed early, so that there may be a few more than ten.
		keys := server.Calls("POST transit/encrypt/" + transittest.KeyName)
		if keys > 20 {
			t.Errorf("1000 messages, 100 to a key, took %d keys", keys)
		}
		if got := server.Calls("POST transit/decrypt/"+transittest.KeyName) - before; got > keys {
			t.Errorf("1000 messages under %d data keys took %d calls", keys, got)
		}
		// Status is polled far more often than the provider is asked.
		status(t, h.service)
		before = server.Calls("GET transit/keys/" + transittest.KeyName)
		for range 100 {
			status(t, h.service)
		}
		if got := server.Calls("GET transit/keys/" + transittest.KeyName); got != before {
			t.Errorf("100 polls in an instant asked the provider %d times", got-before)
		}
	})
}

// TestEarlyRenewalIsThrottled uses up a data key while the provider fails.
func TestEarlyRenewalIsThrottled(t *testing.T) {
	t.Parallel()
	change := func(c *kms.Config) { c.DataKeyUses = 1000 }
	remote(t, change, func(t *testing.T, h *testServer, server *transittest.Server) {
		const path = "POST transit/encrypt/" + transittest.KeyName
		server.Fail(http.StatusServiceUnavailable)
		before := server.Calls(path)
		for range 1000 {
			encrypt(t, h.service, "x")
		}
		if got := server.Calls(path) - before; got > 2 {
			t.Errorf("a failing provider was asked %d times for one renewal", got)
		}
		if _, err := h.service.Encrypt(t.Context(), []byte("x")); code(err) != kms.CodeUnavailable {
			t.Errorf("past the last use: %v, want unavailable", err)
		}
		server.Fail(0)
		encrypt(t, h.service, "x")
	})
}

// TestStoreGoesAway closes the database under the service. Keys in memory go on
// working; writes fail at once, and a process that shares the store stops in time.
func TestStoreGoesAway(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, h *testServer) {
		m, old := encrypt(t, h.service, "kept"), status(t, h.service).KeyID
		rotate(t, h.service)
		status(t, h.service)
		if err := h.World.DB.Close(); err != nil {
			t.Fatal(err)
		}
		if _, _, err := h.service.Rotate(t.Context()); code(err) != kms.CodeUnavailable {
			t.Errorf("Rotate = %v, want unavailable", err)
		}
		if _, err := h.service.Destroy(t.Context(), old); err == nil {
			t.Error("Destroy reports success")
		}
		h.Clock.Advance(20 * time.Second)
		unknown := kms.Sealed{Ciphertext: m.Ciphertext, KeyID: "local-of-another-process", Annotations: m.Annotations}
		if _, err := h.service.Decrypt(t.Context(), unknown); code(err) != kms.CodeUnavailable {
			t.Errorf("a key we cannot look up: %v, want unavailable", err)
		}
		if got := status(t, h.service); got.Text != kms.Healthy {
			t.Errorf("after 20 s: %+v, want health", got)
		}
		h.Clock.Advance(20 * time.Second)
		if got := status(t, h.service); !strings.Contains(got.Text, "store") {
			t.Errorf("after 40 s: %+v, want it to name the store", got)
		}
		encrypt(t, h.service, "x")
		h.Clock.Advance(5 * time.Minute)
		_, err := h.service.Encrypt(t.Context(), []byte("x"))
		if shared := h.World.DB.Engine() == database.Postgres; shared != (code(err) == kms.CodeUnavailable) {
			t.Errorf("after five minutes: %v, on a shared store: %v", err, shared)
		}
		if got := decrypt(t, h.service, m); got != "kept" {
			t.Errorf("a known key gives %q", got)
		}
	})
}

// TestStoreRefusesWrites has a store that is read and not written, as one whose disk is full: a version that cannot be
// published is reported, and no caller is told that the key was rotated.
func TestStoreRefusesWrites(t *testing.T) {
	t.Parallel()
	remote(t, nil, func(t *testing.T, h *testServer, server *transittest.Server) {
		first := status(t, h.service).KeyID
		other := h.process(t, h.config)
		// There are a local key and a remote one; a third does not fit.
		if _, err := h.World.DB.Exec(t.Context(), `CREATE UNIQUE INDEX kms_full ON kms_keys ((seq > 1))`); err != nil {
			t.Fatal(err)
		}
		if fresh, old, err := h.service.Rotate(t.Context()); code(err) != kms.CodeUnavailable {
			t.Errorf("Rotate = %s after %s, %v; want unavailable", fresh.ID, old.ID, err)
		}
		h.later()
		status(t, h.service)
		for range 6 {
			h.later()
			encrypt(t, h.service, "x")
			status(t, h.service)
		}
		if got := status(t, h.service); got.KeyID != first || !strings.Contains(got.Text, "store") {
			t.Errorf("after a minute Status = %+v, want %s and a word about the store", got, first)
		}
		// What another process did is seen meanwhile.
		if _, err := h.World.DB.Exec(t.Context(), `UPDATE kms_keys SET destroyed_at = $1 WHERE id = $2`,
			database.Time(h.Clock.Now()), first); err != nil {
			t.Fatal(err)
		}
		h.later()
		status(t, other)
		if m, err := other.Encrypt(t.Context(), []byte("x")); code(err) != kms.CodeUnusable {
			t.Errorf("Encrypt = %s, %v; want unusable", m.KeyID, err)
		}
		if _, err := h.World.DB.Exec(t.Context(), `DROP INDEX kms_full`); err != nil {
			t.Fatal(err)
		}
		h.later()
		if got := status(t, h.service); got.KeyID == first || got.Text != kms.Healthy {
			t.Errorf("afterwards Status = %+v, want health and a new key", got)
		}
	})
}

// TestDestroyedWhileIdle has a process that is not asked for its status: when it decrypts again, it learns what another
// one destroyed.
func TestDestroyedWhileIdle(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, h *testServer) {
		if h.World.DB.Engine() != database.Postgres {
			t.Skip("one process has the store")
		}
		idle := h.process(t, h.config)
		m := encrypt(t, idle, "kept")
		rotate(t, h.service)
		h.Clock.Advance(10 * time.Minute)
		if _, err := h.service.Destroy(t.Context(), m.KeyID); err != nil {
			t.Fatal(err)
		}
		for start := time.Now(); ; {
			_, err := idle.Decrypt(t.Context(), m)
			if code(err) == kms.CodeUnusable {
				return
			}
			if time.Since(start) > 10*time.Second {
				t.Fatalf("Decrypt = %v ten seconds after the first call, want unusable", err)
			}
		}
	})
}
