package grants_test

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
)

// modelGrace is how long a rotated token gives the same pair again.
const modelGrace = 4 * time.Second

// modelGrant is what must be true of one device grant, kept in the plainest
// way.
type modelGrant struct {
	start   grants.DeviceStart
	state   grants.State
	expires time.Time
	polled  time.Time
	access  []string // every access token, the newest last
	refresh []string // every refresh token; only the newest is good
	rotated time.Time
	ended   bool // the family was revoked
	issued  time.Time
}

// machine compares the grant machine with the model, step by step.
type machine struct {
	*fixture
	client identity.Client
	user   identity.User
	model  []*modelGrant
}

func (m *machine) pick(t *rapid.T) *modelGrant {
	if len(m.model) == 0 {
		t.Skip("no grants yet")
	}
	// A few grants at a time, so that steps meet on the same one.
	first := max(0, len(m.model)-3)
	return m.model[rapid.IntRange(first, len(m.model)-1).Draw(t, "grant")]
}

func (m *machine) now() time.Time { return m.Clock.Now() }

// over is why a grant can become nothing any more.
func (m *machine) over(g *modelGrant) error {
	switch {
	case g.state == grants.Claimed:
		return grants.ErrClaimed
	case g.state == grants.Denied:
		return grants.ErrDenied
	case !m.now().Before(g.expires):
		return grants.ErrExpired
	}
	return nil
}

func (m *machine) begin(t *rapid.T) {
	ttl := rapid.SampledFrom([]time.Duration{10 * time.Minute, time.Hour}).Draw(t, "life")
	s, err := m.Grants.StartDevice(m.ctx, grants.DeviceRequest{
		Service: "labels", ClientID: m.client.ID, Scopes: []string{"storage.labels"}, TTL: ttl, Interval: 5 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	m.model = append(m.model, &modelGrant{start: s, state: grants.Pending, expires: m.now().Add(ttl)})
}

func (m *machine) decide(t *rapid.T) {
	g, yes := m.pick(t), rapid.Bool().Draw(t, "yes")
	want := m.over(g)
	if want == nil && g.state != grants.Pending {
		want = grants.ErrClaimed
	}
	_, err := m.Grants.Decide(m.ctx, g.start.Grant.ID, m.user.ID, yes)
	expect(t, "decide", err, want)
	if want == nil {
		g.state = grants.Denied
		if yes {
			g.state = grants.Approved
		}
	}
}

func (m *machine) pollOne(t *rapid.T) {
	g := m.pick(t)
	want := m.over(g)
	if want == nil && g.state == grants.Pending {
		want = grants.ErrPending
		if gap := m.now().Sub(g.polled); !g.polled.IsZero() && gap < 4*time.Second {
			want = grants.ErrTooSoon
		} else {
			g.polled = m.now()
		}
	}
	tokens, err := m.Grants.PollDevice(m.ctx, grants.Poll{
		Service: "labels", ClientID: m.client.ID, Code: g.start.DeviceCode, Style: "form",
	}, pair())
	expect(t, "poll", err, want)
	if want == nil {
		g.state, g.issued = grants.Claimed, m.now()
		g.access, g.refresh = []string{tokens.Access}, []string{tokens.Refresh}
	}
}

func (m *machine) refreshOne(t *rapid.T) {
	g := m.pick(t)
	if len(g.refresh) == 0 {
		t.Skip("no tokens yet")
	}
	at := rapid.IntRange(0, len(g.refresh)-1).Draw(t, "token")
	var want error
	newest := at == len(g.refresh)-1
	again := at == len(g.refresh)-2 && m.now().Sub(g.rotated) < modelGrace
	switch {
	case g.ended || !newest && !again:
		want = identity.ErrRevoked
	case newest && m.now().Sub(g.issued) >= 30*24*time.Hour:
		want = identity.ErrExpired
	}
	rules := pair()
	rules.Grace = modelGrace
	tokens, err := m.refreshWith(rules, m.client, g.refresh[at])
	expect(t, "refresh", err, want)
	switch {
	case want == nil && again:
		if tokens.Refresh != g.refresh[at+1] || tokens.Access != g.access[at+1] {
			t.Fatal("the grace gave another pair")
		}
	case want == nil:
		g.issued, g.rotated = m.now(), m.now()
		g.access, g.refresh = append(g.access, tokens.Access), append(g.refresh, tokens.Refresh)
	case errors.Is(want, identity.ErrRevoked):
		g.ended = true
	}
}

// connect takes a grant all the way at once, so that most runs have tokens.
func (m *machine) connect(t *rapid.T) {
	m.begin(t)
	g := m.model[len(m.model)-1]
	if _, err := m.Grants.Decide(m.ctx, g.start.Grant.ID, m.user.ID, true); err != nil {
		t.Fatal(err)
	}
	tokens, err := m.Grants.PollDevice(m.ctx, grants.Poll{
		Service: "labels", ClientID: m.client.ID, Code: g.start.DeviceCode, Style: "form",
	}, pair())
	if err != nil {
		t.Fatal(err)
	}
	g.state, g.issued = grants.Claimed, m.now()
	g.access, g.refresh = []string{tokens.Access}, []string{tokens.Refresh}
}

// invariant: the newest access token opens the service exactly when the model
// says so.
func (m *machine) invariant(t *rapid.T) {
	for _, g := range m.model {
		if len(g.access) == 0 {
			continue
		}
		var want error
		switch {
		case g.ended:
			want = identity.ErrRevoked
		case m.now().Sub(g.issued) >= time.Hour:
			want = identity.ErrExpired
		}
		_, err := m.verify(g.access[len(g.access)-1])
		expect(t, "resolve", err, want)
	}
}

func expect(t *rapid.T, what string, got, want error) {
	if !errors.Is(got, want) || (want == nil) != (got == nil) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
}

// TestGrantModel: whatever users, devices and the clock do in whatever order,
// the machine answers as the model does.
func TestGrantModel(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	ada, c := h.User("ada"), h.client(identity.ClientDevice)
	// A slow machine does fewer of the hundred runs; each is whole.
	enough := time.Now().Add(2 * time.Second)
	rapid.Check(t, func(t *rapid.T) {
		if time.Now().After(enough) {
			return
		}
		m := &machine{fixture: h, client: c, user: ada}
		t.Repeat(map[string]func(*rapid.T){
			"":        m.invariant,
			"begin":   m.begin,
			"connect": m.connect,
			"decide":  m.decide,
			"poll":    m.pollOne,
			"refresh": m.refreshOne,
			"wait": func(t *rapid.T) {
				waits := []time.Duration{
					time.Second, 3900 * time.Millisecond, 4 * time.Second, 5 * time.Second, 10 * time.Minute, time.Hour,
					30 * 24 * time.Hour,
				}
				h.Clock.Advance(rapid.SampledFrom(waits).Draw(t, "wait"))
			},
		})
	})
}
