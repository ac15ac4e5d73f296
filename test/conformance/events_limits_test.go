package conformance_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/test/conformance"
)

// TestEventLimits proves I-25 to I-46.
func TestEventLimits(t *testing.T) {
	t.Parallel()
	conformance.On(t, func(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
		h := openForge(t, open)
		h.repo(t, "ada/own", false)
		t.Run("I-25", func(t *testing.T) {
			small := openSmall(t, open, func(c *app.Config) { c.Events.Limits.User = 1 })
			small.get(t, "/events", small.ada).Want(t, http.StatusOK)
			small.get(t, "/events", small.ada).Want(t, http.StatusForbidden, http.StatusTooManyRequests)
		})
		t.Run("I-26", func(t *testing.T) {
			for range 60 {
				if got := number(t, h.get(t, "/events", "").Want(t, http.StatusOK), "X-Ratelimit-Limit"); got != 60 {
					t.Fatalf("limit: got %d, want 60", got)
				}
			}
			h.get(t, "/events", "").Refused(t)
			h.get(t, "/events", h.ada).Want(t, http.StatusOK)
		})
		t.Run("I-27", func(t *testing.T) {
			first := h.get(t, "/events", h.Token(t, "grace", "events")).Want(t, http.StatusOK)
			second := h.get(t, "/events", h.Token(t, "grace", "events")).Want(t, http.StatusOK)
			before, after := number(t, first, "X-Ratelimit-Used"), number(t, second, "X-Ratelimit-Used")
			if limit := number(t, first, "X-Ratelimit-Limit"); limit != 5000 || after != before+1 {
				t.Errorf("two tokens of one user: used %d then %d of %d", before, after, limit)
			}
		})
		t.Run("I-28", func(t *testing.T) { enterpriseUser(t, h) })
		t.Run("I-29", func(t *testing.T) { installationLimits(t, open) })
		t.Run("I-30", func(t *testing.T) {
			wantLimit(t, h, installation(t, h, enterpriseOrg(t, h, "acme30")), 15000)
		})
		t.Run("I-31", func(t *testing.T) { appLimits(t, h) })
		t.Run("I-32", func(t *testing.T) { workflowLimits(t, h) })
		t.Run("I-33", func(t *testing.T) { concurrency(t, open) })
		t.Run("I-34", func(t *testing.T) { pointsPerMinute(t, open) })
		t.Run("I-35", func(t *testing.T) { processorTime(t, open) })
		t.Run("I-36", func(t *testing.T) { contentCreation(t, open) })
		t.Run("I-37", func(t *testing.T) { undisclosed(t, open) })
		t.Run("I-38", func(t *testing.T) { pointCosts(t, open) })
		t.Run("I-39", func(t *testing.T) { limitHeaders(t, h) })
		t.Run("I-40", func(t *testing.T) {
			before := number(t, h.get(t, "/events", h.ada), "X-Ratelimit-Used")
			for range 3 {
				a := h.get(t, "/rate_limit", h.ada).Want(t, http.StatusOK)
				if got := number(t, a, "X-Ratelimit-Used"); got != before {
					t.Errorf("used: got %d, want %d", got, before)
				}
				if got := conformance.Integer(t, a.Object(t), "resources", "core", "used"); got != before {
					t.Errorf("core.used: got %d, want %d", got, before)
				}
			}
		})
		t.Run("I-41", func(t *testing.T) {
			if a := h.get(t, "/rate_limit", h.ada); strings.Contains(strings.ToLower(string(a.Body)), "secondary") {
				t.Errorf("%v mentions secondary limits", a)
			}
		})
		t.Run("I-42", func(t *testing.T) { primaryExceeded(t, open) })
		t.Run("I-43", func(t *testing.T) { afterReset(t, open) })
		t.Run("I-44", func(t *testing.T) { secondaryExceeded(t, open) })
		t.Run("I-45", func(t *testing.T) { clientRule(t, open) })
		t.Run("I-46", func(t *testing.T) { banned(t, open) })
	})
}

func wantLimit(t *testing.T, h *forgeServer, token string, want int64) {
	t.Helper()
	a := h.get(t, "/events", token).Want(t, http.StatusOK)
	if got := number(t, a, "X-Ratelimit-Limit"); got != want {
		t.Errorf("limit: got %d, want %d", got, want)
	}
}

func (h *forgeServer) secret(t *testing.T, path string, values map[string][]string, name string) string {
	t.Helper()
	text, ok := h.Command(t, path, values)[name].(string)
	if !ok || text == "" {
		t.Fatalf("stoa %s printed no %s", path, name)
	}
	return text
}

func enterpriseOrg(t *testing.T, h *forgeServer, name string) string {
	t.Helper()
	h.Command(t, "org add", map[string][]string{"name": {name}, "enterprise": {"true"}})
	h.Command(t, "org member add", map[string][]string{"org": {name}, "user": {"ada"}, "role": {"owner"}})
	return name
}

// installation is a token of an app that is installed in an organization.
func installation(t *testing.T, h *forgeServer, org string) string {
	t.Helper()
	id := h.secret(t, "client add", map[string][]string{"name": {"App of " + org}, "type": {"app"}, "org": {org}},
		"client_id")
	return h.secret(t, "token issue",
		map[string][]string{"client": {id}, "service": {"events"}, "kind": {"installation"}}, "token")
}

func enterpriseUser(t *testing.T, h *forgeServer) {
	org := enterpriseOrg(t, h, "acme28")
	id := h.secret(t, "client add",
		map[string][]string{"name": {"Tool"}, "type": {"web"}, "org": {org}, "redirect": {"http://127.0.0.1/x"}},
		"client_id")
	token := h.secret(t, "token issue", map[string][]string{"user": {"ada"}, "client": {id}, "service": {"events"}},
		"token")
	before := number(t, h.get(t, "/events", h.ada), "X-Ratelimit-Used")
	wantLimit(t, h, token, 15000)
	after := h.get(t, "/events", h.ada)
	if number(t, after, "X-Ratelimit-Limit") != 5000 || number(t, after, "X-Ratelimit-Used") != before+2 {
		t.Errorf("the personal token does not share the count: %v", after.Header)
	}
}

func installationLimits(t *testing.T, open opener) {
	h := openForge(t, open)
	token := installation(t, h, "lyceum")
	wantLimit(t, h, token, 5000)
	for i := range 30 {
		h.repo(t, fmt.Sprintf("lyceum/r%d", i), false)
	}
	for i := range 23 { // ada and grace are there
		name := fmt.Sprintf("user%d", i)
		h.User(t, name)
		h.Command(t, "org member add", map[string][]string{"org": {"lyceum"}, "user": {name}})
	}
	wantLimit(t, h, token, 5750)
	capped := openForge(t, open, func(c *app.Config) { c.Events.Limits.InstallationPerOne = 10_000 })
	for i := range 21 {
		capped.repo(t, fmt.Sprintf("lyceum/r%d", i), false)
	}
	wantLimit(t, capped, installation(t, capped, "lyceum"), 12500)
}

func appLimits(t *testing.T, h *forgeServer) {
	for org, want := range conformance.InOrder(map[string]int64{"": 5000, enterpriseOrg(t, h, "acme31"): 15000}) {
		values := map[string][]string{"name": {"OAuth " + org}, "type": {"web"}, "redirect": {"http://127.0.0.1/x"}}
		if org != "" {
			values["org"] = []string{org}
		}
		client := h.Command(t, "client add", values)
		pair := fmt.Sprintf("%v:%v", client["client_id"], client["client_secret"])
		basic := base64.StdEncoding.EncodeToString([]byte(pair))
		a := h.get(t, "/events", "", "Authorization", "Basic "+basic).Want(t, http.StatusOK)
		if got := number(t, a, "X-Ratelimit-Limit"); got != want {
			t.Errorf("limit of an app of %q: got %d, want %d", org, got, want)
		}
		h.get(t, "/events", "", "Authorization", "Basic "+basic[:len(basic)-4]).Want(t, http.StatusUnauthorized)
	}
}

func workflowLimits(t *testing.T, h *forgeServer) {
	org := enterpriseOrg(t, h, "acme32")
	h.repo(t, org+"/build", false)
	for repo, want := range conformance.InOrder(map[string]int64{"ada/own": 1000, org + "/build": 15000}) {
		values := map[string][]string{"user": {"ada"}, "service": {"events"}, "kind": {"workflow"}, "repo": {repo}}
		first, second := h.secret(t, "token issue", values, "token"), h.secret(t, "token issue", values, "token")
		wantLimit(t, h, first, want)
		if got := number(t, h.get(t, "/events", second), "X-Ratelimit-Used"); got != 2 {
			t.Errorf("%s: two tokens used %d, want 2 together", repo, got)
		}
	}
}

// concurrency keeps requests open by never sending their bodies.
func concurrency(t *testing.T, open opener) {
	h := openSmall(t, open, func(c *app.Config) { c.Events.Limits.Concurrent = 3 })
	h.repo(t, "ada/own", false)
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	defer wait.Wait()
	defer cancel()
	// An answered request may be counted for a moment yet, so one that is refused is
	// sent again.
	for held, tries := 0, 0; held < 3; tries++ {
		if holdOpen(ctx, t, h, &wait) {
			held++
		}
		if tries > 100 {
			t.Fatalf("%d requests at once are served, want 3", held)
		}
	}
	a := h.get(t, "/events", h.ada).Refused(t)
	if !strings.Contains(string(a.Body), "secondary rate limit") {
		t.Errorf("%v does not name the secondary limit", a)
	}
	h.get(t, "/events", "").Want(t, http.StatusOK)
	if got := app.DefaultConfig().Events.Limits.Concurrent; got != 100 {
		t.Errorf("requests at once: got %d, want 100", got)
	}
}

// holdOpen sends a request that waits to be asked for its body and then never
// sends it. It reports whether the server asked, which it does past all gates.
func holdOpen(ctx context.Context, t *testing.T, h *forgeServer, wait *sync.WaitGroup) bool {
	t.Helper()
	body := &heldBody{ctx: ctx, asked: make(chan struct{})}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL+"/repos/ada/own/events", body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+h.ada)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Expect", "100-continue")
	client := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Hour, DisableKeepAlives: true}}
	answered := make(chan struct{})
	wait.Go(func() {
		defer close(answered)
		if response, err := client.Do(r); err == nil {
			_ = response.Body.Close()
		}
	})
	select {
	case <-body.asked:
		return true
	case <-answered:
		return false
	}
}

// heldBody signals when it is read, and blocks until the context ends.
type heldBody struct {
	ctx   context.Context
	once  sync.Once
	asked chan struct{}
}

func (b *heldBody) Read([]byte) (int, error) {
	b.once.Do(func() { close(b.asked) })
	<-b.ctx.Done()
	return 0, b.ctx.Err()
}

func pointsPerMinute(t *testing.T, open opener) {
	h := openSmall(t, open, func(c *app.Config) { c.Events.Limits.Points = 20 })
	for range 20 {
		h.get(t, "/events", h.ada).Want(t, http.StatusOK)
	}
	h.get(t, "/events", h.ada).Refused(t)
	h.get(t, "/users/ada/events", h.ada).Want(t, http.StatusOK)
	h.Clock.Advance(time.Minute)
	h.get(t, "/events", h.ada).Want(t, http.StatusOK)
	if got := app.DefaultConfig().Events.Limits.Points; got != 900 {
		t.Errorf("points per minute: got %d, want 900", got)
	}
	queryPoints(t, openSmall(t, open, func(c *app.Config) { c.Events.Limits.QueryPoints = 12 }))
	if got := app.DefaultConfig().Events.Limits.QueryPoints; got != 2000 {
		t.Errorf("points per minute of GraphQL: got %d, want 2000", got)
	}
}

// queryPoints checks that both addresses of GraphQL share one budget, of which a query takes one point
// and a change five.
func queryPoints(t *testing.T, h *forgeServer) {
	query := func(path, text string) *conformance.Answer {
		return h.Do(t, conformance.Call{
			Method: http.MethodPost, Path: path, Bearer: h.ada, Body: `{"query":"` + text + `"}`,
		})
	}
	query("/graphql", `mutation{addStar(input:{starrableId:\"x\"}){clientMutationId}}`).Want(t, http.StatusOK)
	for range 7 {
		query("/graphql", "{viewer{login}}").Want(t, http.StatusOK)
	}
	query("/api/graphql", "{viewer{login}}").Refused(t)
	h.get(t, "/events", h.ada).Want(t, http.StatusOK)
}

// stepMeter measures the same time for every request: each look at it is one step
// later than the one before.
type stepMeter struct {
	clock.Clock
	step, looks atomic.Int64
}

func (m *stepMeter) Now() time.Time { return time.Unix(0, m.looks.Add(1)*m.step.Load()) }

// processorTime lets each request take a part of a minute's processor time, with
// the limits as they are by default. A request is refused when 90 seconds are used
// up, and another minute has another 90.
func processorTime(t *testing.T, open opener) {
	meter := &stepMeter{Clock: clock.Real()}
	h := openSmall(t, open, func(c *app.Config) { c.Events.Meter = meter })
	for cost, want := range conformance.InOrder(map[time.Duration]int{
		90 * time.Second: 1, 45 * time.Second: 2, 30 * time.Second: 3, 29 * time.Second: 4, 10 * time.Second: 9,
	}) {
		meter.step.Store(int64(cost))
		for range want {
			h.get(t, "/events", h.ada).Want(t, http.StatusOK)
		}
		a := h.get(t, "/events", h.ada).Refused(t)
		if !strings.Contains(string(a.Body), "secondary rate limit") {
			t.Errorf("%v does not name the secondary limit", a)
		}
		h.Clock.Advance(time.Minute)
	}
	queryTime(t, h, meter)
}

// queryTime checks that at most 60 of the 90 seconds are used for GraphQL, and that what it used
// counts for all.
func queryTime(t *testing.T, h *forgeServer, meter *stepMeter) {
	meter.step.Store(int64(61 * time.Second))
	query := func(path string) *conformance.Answer {
		return h.Do(t, conformance.Call{
			Method: http.MethodPost, Path: path, Bearer: h.ada, Body: `{"query":"{viewer{login}}"}`,
		})
	}
	query("/graphql").Want(t, http.StatusOK)
	query("/api/graphql").Refused(t)
	h.get(t, "/events", h.ada).Want(t, http.StatusOK)
	h.get(t, "/events", h.ada).Refused(t)
}

func (h *forgeServer) post(t *testing.T, token string) *conformance.Answer {
	t.Helper()
	return h.Do(t, conformance.Call{
		Method: http.MethodPost, Path: "/repos/ada/own/events", Bearer: token,
		Body: `{"type":"WatchEvent","payload":{"action":"started"}}`,
	})
}

func contentCreation(t *testing.T, open opener) {
	h := openSmall(t, open, func(c *app.Config) { c.Events.Limits.ContentMinute, c.Events.Limits.ContentHour = 3, 5 })
	h.repo(t, "ada/own", false)
	for range 3 {
		h.post(t, h.ada).Want(t, http.StatusCreated)
	}
	h.post(t, h.ada).Refused(t)
	h.get(t, "/events", h.ada).Want(t, http.StatusOK)
	h.Clock.Advance(time.Minute)
	for range 2 {
		h.post(t, h.ada).Want(t, http.StatusCreated)
	}
	h.post(t, h.ada).Refused(t)
	h.Clock.Advance(time.Minute)
	h.post(t, h.ada).Refused(t)
	h.Clock.Advance(time.Hour)
	h.post(t, h.ada).Want(t, http.StatusCreated)
	if l := app.DefaultConfig().Events.Limits; l.ContentMinute != 80 || l.ContentHour != 500 {
		t.Errorf("content creation: got %d and %d, want 80 and 500", l.ContentMinute, l.ContentHour)
	}
}

// undisclosed checks that a secondary refusal can come while primary budget is
// left, and says when to come back.
func undisclosed(t *testing.T, open opener) {
	h := openSmall(t, open, func(c *app.Config) { c.Events.Limits.CPU = time.Microsecond })
	h.get(t, "/events", h.ada).Want(t, http.StatusOK)
	a := h.get(t, "/events", h.ada).Refused(t)
	if number(t, a, "Retry-After") < 1 || number(t, a, "X-Ratelimit-Remaining") == 0 {
		t.Errorf("got %v", a.Header)
	}
}

func pointCosts(t *testing.T, open opener) {
	h := openSmall(t, open, func(c *app.Config) { c.Events.Limits.Points = 10 })
	h.repo(t, "ada/own", false)
	for range 2 {
		h.post(t, h.ada).Want(t, http.StatusCreated)
	}
	h.post(t, h.ada).Refused(t)
	for _, row := range []struct{ method, path, body string }{
		{http.MethodPut, "/user/starred/ada/own", ""},
		{http.MethodDelete, "/user/starred/ada/own", ""},
		{http.MethodPatch, "/repos/ada/own", `{"description":"d"}`},
	} {
		call := conformance.Call{Method: row.method, Path: row.path, Bearer: h.ada, Body: row.body}
		for range 2 {
			h.Do(t, call).Want(t, http.StatusOK, http.StatusNoContent)
		}
		h.Do(t, call).Refused(t)
	}
	for range 5 {
		h.get(t, "/events", h.ada).Want(t, http.StatusOK)
		h.Do(t, conformance.Call{Method: http.MethodHead, Path: "/events", Bearer: h.ada}).Want(t, http.StatusOK)
	}
	h.get(t, "/events", h.ada).Refused(t)
}

func limitHeaders(t *testing.T, h *forgeServer) {
	now := h.Clock.Now().Unix()
	for _, a := range []*conformance.Answer{
		h.get(t, "/events", h.ada), h.get(t, "/rate_limit", h.ada), h.get(t, "/repos/no/thing/events", h.ada),
		h.get(t, "/users/ada/nothing", h.ada), h.get(t, "/events", "wrong"),
		h.get(t, "/events", h.zeno, "If-None-Match", "*"),
		h.get(t, "/events?page=99&per_page=100", h.ada), h.get(t, "/events", h.ada, "X-Vendor-Api-Version", "nonsense"),
		h.get(t, "/users/zeno/events/orgs/lyceum", h.zeno), h.Do(t, conformance.Call{
			Method: http.MethodPut, Path: "/events", Bearer: h.ada,
		}),
	} {
		limit, left, used := number(t, a, "X-Ratelimit-Limit"), number(t, a, "X-Ratelimit-Remaining"), number(t, a,
			"X-Ratelimit-Used")
		if reset := number(t, a, "X-Ratelimit-Reset"); left+used != limit || reset < now || reset > now+3600 {
			t.Errorf("%v: limit %d, remaining %d, used %d, reset in %d s", a, limit, left, used, reset-now)
		}
		if got := a.Header.Get("X-Ratelimit-Resource"); got != "core" {
			t.Errorf("%v: resource is %q", a, got)
		}
	}
}

func primaryExceeded(t *testing.T, open opener) {
	h := openSmall(t, open, func(c *app.Config) { c.Events.Limits.User = 2 })
	for range 2 {
		h.get(t, "/events", h.ada).Want(t, http.StatusOK)
	}
	a := h.get(t, "/events", h.ada).Want(t, http.StatusForbidden, http.StatusTooManyRequests)
	if got := number(t, a, "X-Ratelimit-Remaining"); got != 0 {
		t.Errorf("remaining: got %d, want 0", got)
	}
	message := conformance.Text(t, a.Object(t), "message")
	if !strings.Contains(message, "rate limit exceeded") || strings.Contains(message, "secondary") {
		t.Errorf("message: got %q", message)
	}
}

func afterReset(t *testing.T, open opener) {
	h := openSmall(t, open, func(c *app.Config) { c.Events.Limits.User = 1 })
	h.get(t, "/events", h.ada).Want(t, http.StatusOK)
	a := h.get(t, "/events", h.ada).Refused(t)
	h.Clock.Set(time.Unix(number(t, a, "X-Ratelimit-Reset")-1, 0))
	h.get(t, "/events", h.ada).Refused(t)
	h.Clock.Set(time.Unix(number(t, a, "X-Ratelimit-Reset"), 0))
	h.get(t, "/events", h.ada).Want(t, http.StatusOK)
}

func secondaryExceeded(t *testing.T, open opener) {
	h := openSmall(t, open, func(c *app.Config) { c.Events.Limits.Points = 1 })
	h.get(t, "/events", h.ada).Want(t, http.StatusOK)
	o := h.get(t, "/events", h.ada).Want(t, http.StatusForbidden, http.StatusTooManyRequests).Object(t)
	if message := conformance.Text(t, o, "message"); !strings.Contains(message, "secondary rate limit") {
		t.Errorf("message: got %q", message)
	}
	if docs := conformance.Text(t, o, "documentation_url"); !strings.HasSuffix(docs, "secondary-rate-limits") {
		t.Errorf("documentation_url: got %q", docs)
	}
}

// clientRule follows the rule of the contract against real refusals: wait for
// retry-after, or for the reset when nothing is left.
func clientRule(t *testing.T, open opener) {
	h := openSmall(t, open, func(c *app.Config) { c.Events.Limits.Points, c.Events.Limits.User = 2, 3 })
	served := 0
	for tries := 0; served < 8 && tries < 50; tries++ {
		a := h.get(t, "/events", h.ada)
		switch {
		case a.Status == http.StatusOK:
			served++
		case a.Header.Get("Retry-After") != "":
			h.Clock.Advance(time.Duration(number(t, a, "Retry-After")) * time.Second)
		case number(t, a, "X-Ratelimit-Remaining") == 0:
			h.Clock.Set(time.Unix(number(t, a, "X-Ratelimit-Reset"), 0))
		default:
			t.Fatalf("%v says neither how long to wait nor until when", a)
		}
	}
	if served < 8 {
		t.Errorf("a client that obeys was served %d times, want 8", served)
	}
}

func banned(t *testing.T, open opener) {
	h := openSmall(t, open, func(c *app.Config) {
		c.Events.Limits.Points, c.Events.Limits.BanAfter, c.Events.Limits.BanBase = 1, 5, 10*time.Minute
	})
	h.get(t, "/events", h.ada).Want(t, http.StatusOK)
	var last *conformance.Answer
	for range 6 {
		last = h.get(t, "/events", h.ada).Refused(t)
	}
	if wait := number(t, last, "Retry-After"); wait <= 60 {
		t.Errorf("after hammering, Retry-After: got %d, want more than a minute", wait)
	}
	h.Clock.Advance(time.Minute)
	h.get(t, "/events", h.ada).Refused(t)
}
