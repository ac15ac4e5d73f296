package crash_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/test/program"
)

// storing is a writer of one service with the ledger of what was acknowledged.
type storing struct {
	name, path, body string         // MARK in body is a text that nothing else has
	id               *regexp.Regexp // finds what the object is called in the answer
	read             string         // where it is read again; ID stands for its name
	shows            bool           // the answer there has the text
	keys             bool           // two keys instead of a token

	acked map[string]string // the text of each by its name
	fresh []string          // names since the last audit
	sent  int
}

// storings are writers of the services that other tests of this package do not kill.
func storings(repo string) []*storing {
	quoted := regexp.MustCompile(`"id":"([^"]+)"`)
	list := []*storing{
		{name: "tasks", path: "/tasks/v1/lists/@default/tasks", body: `{"title":"MARK"}`, id: quoted,
			read: "/tasks/v1/lists/@default/tasks/ID", shows: true},
		{name: "articles", path: "/api/v2/items", body: `{"title":"MARK","body":"b","tags":[{"name":"x"}]}`,
			id: quoted, read: "/api/v2/items/ID", shows: true},
		{name: "calendar", path: "/calendar/v3/calendars/primary/events",
			body: `{"summary":"MARK","start":{"date":"2026-03-10"},"end":{"date":"2026-03-11"}}`, id: quoted,
			read: "/calendar/v3/calendars/primary/events/ID", shows: true},
		{name: "events", path: "/repos/" + repo + "/events", body: `{"type":"IssuesEvent","payload":{"action":` +
			`"opened","issue":{"id":1,"number":1,"title":"MARK","user":{"login":"ada"}}}}`, id: quoted,
			read: "/repos/" + repo + "/events?per_page=100", shows: true},
		{name: "analytics", path: "/apis/v4/projects/v0", body: `{"project_name":"MARK","url":"MARKexample"}`,
			id: regexp.MustCompile(`"project_id":(\d+)`), read: "/apis/v4/projects/v0/ID", shows: true},
		{name: "metric events", path: "/api/v1/events", body: `{"title":"MARK","text":"t"}`, keys: true,
			id: regexp.MustCompile(`"id":(\d+)`), read: "/api/v1/events/ID", shows: true},
		{name: "snapshots", path: "/api/v1/graph/snapshot", keys: true, read: "/api/v1/graph/snapshot_status/ID",
			body: `{"metric_query":"avg:system.load.1{*}","start":1700000000,"end":1700003600,"title":"MARK"}`,
			id:   regexp.MustCompile(`/snapshot/view/([^"]+)\.png`)},
	}
	for _, s := range list {
		s.acked = map[string]string{}
	}
	return list
}

// serviceRun is the demonstration world over many lives.
type serviceRun struct {
	binary, data string
	env          map[string]string
	writers      []*storing
	starts       startTimes
}

func (r *serviceRun) start(t *testing.T, args ...string) *program.Process {
	t.Helper()
	p, err := r.starts.start(t, program.Options{
		Binary: r.binary, Data: r.data, Args: args, Env: []string{
			"STOA_LOG_LEVEL=error", "STOA_ARTICLES_USER_PER_HOUR=100000000",
			"STOA_SNAPSHOTS_SNAPSHOTS_PER_HOUR=100000000", "STOA_SNAPSHOTS_REQUESTS_PER_MINUTE=100000000",
			"STOA_CALENDAR_REQUESTS_PER_MINUTE=100000000", "STOA_ANALYTICS_REQUESTS_PER_SECOND=100000",
			"STOA_ANALYTICS_UPDATES_PER_SECOND=100000", "STOA_ANALYTICS_MAX_PROJECTS=100000",
		},
	})
	if err != nil {
		t.Fatalf("the server does not come back: %v", err)
	}
	t.Cleanup(p.Kill)
	return p
}

// ask sends one request; a status of 0 means that no answer came.
func (r *serviceRun) ask(ctx context.Context, c *http.Client, url string, s *storing, body string) (int, string) {
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	q, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	q.Header.Set("Content-Type", "application/json")
	if s.keys {
		q.Header.Set("SVC-API-KEY", r.env["STOA_API_KEY"])
		q.Header.Set("SVC-APPLICATION-KEY", r.env["STOA_APP_KEY"])
	} else {
		q.Header.Set("Authorization", "Bearer "+r.env["STOA_TOKEN"])
	}
	response, err := c.Do(q)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(text)
}

// write writes until the server is gone, or a limit of the service is reached.
func (r *serviceRun) write(t *testing.T, url string, s *storing, first func()) {
	t.Helper()
	c := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{}}
	defer c.CloseIdleConnections()
	for range 200 {
		s.sent++
		mark := fmt.Sprintf("%s-%d.", strings.ReplaceAll(s.name, " ", "-"), s.sent)
		code, text := r.ask(context.Background(), c, url+s.path, s, strings.ReplaceAll(s.body, "MARK", mark))
		switch {
		case code == 0 || code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable,
			code == http.StatusForbidden && strings.Contains(text, "rate limit"):
			return
		case code/100 != 2:
			t.Errorf("%s: %d %s", s.name, code, text)
			return
		}
		found := s.id.FindStringSubmatch(text)
		if found == nil {
			t.Errorf("%s: %s has no name", s.name, text)
			return
		}
		s.acked[found[1]] = mark
		s.fresh = append(s.fresh, found[1])
		first()
	}
}

// audit reads names again; a feed shows its last ones only.
func (r *serviceRun) audit(t *testing.T, url string, s *storing, names []string) {
	t.Helper()
	c := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{}}
	defer c.CloseIdleConnections()
	if !strings.Contains(s.read, "ID") {
		names = names[max(0, len(names)-50):]
	}
	for _, name := range names {
		code, text := r.ask(t.Context(), c, url+strings.ReplaceAll(s.read, "ID", name), s, "")
		if code != http.StatusOK || s.shows && !strings.Contains(text, s.acked[name]) {
			t.Errorf("%s: %s was acknowledged and is lost: %d %.200s", s.name, name, code, text)
			return
		}
	}
	s.fresh = nil
}

// TestKillServices kills the server while seven services are written to: six times, fifty in
// full. What was acknowledged in a life is read in the next, and all of it in the last.
func TestKillServices(t *testing.T) {
	t.Parallel()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := &serviceRun{binary: binary, data: t.TempDir()}
	p := r.start(t, "--demo")
	if r.env, err = program.DemoEnv(r.data); err != nil {
		t.Fatal(err)
	}
	r.writers = storings(r.env["STOA_REPO"])
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for kill := range often(6, 50) {
		if kill > 0 {
			p = r.start(t)
			r.auditAll(t, p.URL, func(s *storing) []string { return s.fresh })
		}
		r.writeAndKill(t, p, time.Duration(random.Int64N(int64(500*time.Millisecond))))
		if t.Failed() {
			t.Fatalf("stopped after kill %d", kill+1)
		}
	}
	p = r.start(t)
	r.auditAll(t, p.URL, func(s *storing) (all []string) {
		for name := range s.acked {
			if strings.Contains(s.read, "ID") {
				all = append(all, name)
			}
		}
		return all
	})
	for _, s := range r.writers {
		t.Logf("%s: %d acknowledged", s.name, len(s.acked))
		if len(s.acked) < 6 {
			t.Errorf("%s: the ledger is too thin: %d", s.name, len(s.acked))
		}
	}
	p.Kill()
	first := startTimes{wall: r.starts.wall[:1], busy: r.starts.busy[:1]}
	r.starts.judge(t, &first) // it made the demonstration world
	if out, err := exec.Command(binary, "check", "--data", r.data).CombinedOutput(); err != nil {
		t.Errorf("stoa check: %v\n%s", err, out)
	}
}

func (r *serviceRun) auditAll(t *testing.T, url string, names func(*storing) []string) {
	t.Helper()
	var audits sync.WaitGroup
	for _, s := range r.writers {
		audits.Go(func() { r.audit(t, url, s, names(s)) })
	}
	audits.Wait()
}

// writeAndKill lets all write, and kills the server a moment after each had an answer.
func (r *serviceRun) writeAndKill(t *testing.T, p *program.Process, life time.Duration) {
	t.Helper()
	var writers, firsts sync.WaitGroup
	for _, s := range r.writers {
		firsts.Add(1)
		once := sync.OnceFunc(firsts.Done)
		writers.Go(func() {
			defer once()
			r.write(t, p.URL, s, once)
		})
	}
	firsts.Wait()
	time.Sleep(life)
	p.Kill()
	writers.Wait()
}
