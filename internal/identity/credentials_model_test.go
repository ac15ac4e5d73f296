package identity_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// modelToken is what the model remembers of one credential.
type modelToken struct {
	id      int64
	secret  string
	user    int
	service string
	family  string
	dies    time.Time // zero means never
	revoked bool
	key     bool
}

// model predicts what Resolve must say after any sequence of changes.
type model struct {
	h        *fixture
	users    []identity.User
	disabled []bool
	tokens   []*modelToken
}

func (m *model) verdict(t *modelToken, service string) error {
	now := m.h.clock.Now()
	switch {
	case t.revoked:
		return identity.ErrRevoked
	case !t.dies.IsZero() && !now.Before(t.dies):
		return identity.ErrExpired
	case m.disabled[t.user]:
		return identity.ErrDisabled
	case t.service != service:
		return identity.ErrUnknown
	}
	return nil
}

func (m *model) pick(rt *rapid.T) *modelToken {
	if len(m.tokens) == 0 {
		rt.Skip("no token yet")
	}
	return m.tokens[rapid.IntRange(0, len(m.tokens)-1).Draw(rt, "token")]
}

func (m *model) issueToken(rt *rapid.T) {
	user := rapid.IntRange(0, len(m.users)-1).Draw(rt, "user")
	t := &modelToken{
		user: user, service: rapid.SampledFrom([]string{"labels", "articles"}).Draw(rt, "service"),
		family: rapid.SampledFrom([]string{"", "f", "g"}).Draw(rt, "family"),
	}
	ttl := time.Duration(rapid.IntRange(0, 72).Draw(rt, "hours")) * time.Hour
	tok, secret := m.h.token(identity.IssueOptions{
		UserID: m.users[user].ID, Services: []string{t.service}, Family: t.family, TTL: ttl,
	})
	t.id, t.secret = tok.ID, secret
	if ttl > 0 {
		t.dies = m.h.clock.Now().Add(ttl)
	}
	m.tokens = append(m.tokens, t)
}

func (m *model) addKey(user int, k identity.Key, secret, family string, days int) {
	t := &modelToken{id: k.ID, secret: secret, user: user, service: "labels", family: family, key: true}
	if days > 0 {
		t.dies = m.h.clock.Now().AddDate(0, 0, days)
	}
	m.tokens = append(m.tokens, t)
}

func (m *model) issueKey(rt *rapid.T) {
	user := rapid.IntRange(0, len(m.users)-1).Draw(rt, "user")
	days := rapid.IntRange(0, 3).Draw(rt, "days")
	k, secret := m.h.key(identity.KeyOptions{UserID: m.users[user].ID, Service: "labels", Days: days})
	m.addKey(user, k, secret, "", days)
}

func (m *model) replaceKey(rt *rapid.T) {
	t := m.pick(rt)
	days := rapid.IntRange(0, 3).Draw(rt, "days")
	k, secret, err := m.h.ReplaceKey(m.h.t.Context(), t.id, identity.KeyRenewal{Days: days})
	switch {
	case !t.key:
		wantErr(rt, err, identity.ErrKind)
	case t.revoked:
		wantErr(rt, err, identity.ErrKeyGone)
	default:
		must(rt, err)
		t.revoked = true
		if t.family == "" {
			t.family = "key/" + strconv.FormatInt(t.id, 10)
		}
		m.addKey(t.user, k, secret, t.family, days)
	}
}

func (m *model) revoke(rt *rapid.T) {
	t := m.pick(rt)
	switch rapid.SampledFrom([]string{"id", "secret", "family"}).Draw(rt, "by") {
	case "id":
		must(rt, m.h.RevokeToken(m.h.t.Context(), t.id))
		t.revoked = true
		m.revokeFamily(t.family)
	case "secret":
		must(rt, m.h.RevokeSecret(m.h.t.Context(), t.service, t.secret))
		t.revoked = true
	case "family":
		must(rt, m.h.RevokeFamily(m.h.t.Context(), t.family))
		m.revokeFamily(t.family)
	}
}

func (m *model) revokeFamily(family string) {
	for _, t := range m.tokens {
		t.revoked = t.revoked || family != "" && t.family == family
	}
}

func (m *model) disable(rt *rapid.T) {
	user := rapid.IntRange(0, len(m.users)-1).Draw(rt, "user")
	m.disabled[user] = rapid.Bool().Draw(rt, "disabled")
	must(rt, m.h.DisableUser(m.h.t.Context(), m.users[user].ID, m.disabled[user]))
}

func (m *model) resolve(rt *rapid.T) {
	t := m.pick(rt)
	m.check(rt, t, rapid.SampledFrom([]string{"labels", "articles"}).Draw(rt, "service"))
}

func (m *model) check(rt *rapid.T, t *modelToken, service string) {
	rt.Helper()
	want := m.verdict(t, service)
	c, err := m.h.Resolve(m.h.t.Context(), service, t.secret)
	if !errors.Is(err, want) {
		rt.Fatalf("Resolve of %d at %s = %v, want %v", t.id, service, err, want)
	}
	if err == nil && (c.TokenID != t.id || c.UserID != m.users[t.user].ID) {
		rt.Fatalf("Resolve of %d found %d", t.id, c.TokenID)
	}
}

// TestLifecycle runs random sequences of changes against the model; in between
// and in the end every credential must be judged as the model says.
func TestLifecycle(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		// The embedded database does most of the rounds: it has the cache.
		round, rounds := 0, 50
		if h.db.Engine() == database.Postgres {
			rounds = 15
		}
		rapid.Check(t, func(rt *rapid.T) {
			if round++; round > rounds {
				return
			}
			m := &model{h: h, disabled: make([]bool, 2)}
			for j := range m.disabled {
				m.users = append(m.users, h.user("u"+strconv.Itoa(round)+"-"+strconv.Itoa(j)))
			}
			rt.Repeat(map[string]func(*rapid.T){
				"issue token": m.issueToken,
				"issue key":   m.issueKey,
				"replace key": m.replaceKey,
				"revoke":      m.revoke,
				"disable":     m.disable,
				"resolve":     m.resolve,
				"time passes": func(rt *rapid.T) {
					h.clock.Advance(time.Duration(rapid.IntRange(1, 30).Draw(rt, "hours")) * time.Hour)
				},
			})
			for _, tok := range m.tokens {
				m.check(rt, tok, tok.service)
			}
			// Families are shared names; end them before the next round.
			must(rt, h.RevokeFamily(t.Context(), "f"))
			must(rt, h.RevokeFamily(t.Context(), "g"))
		})
	})
}
