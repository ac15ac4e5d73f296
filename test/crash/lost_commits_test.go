package crash_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/test/program"
)

// onPostgres is a server whose PostgreSQL is behind a relay.
type onPostgres struct {
	*server
	process *program.Process
	relay   *relay
	tokens  map[string]string // by service
}

// startOnPostgres starts it and makes a user.
func startOnPostgres(t *testing.T, services ...string) *onPostgres {
	t.Helper()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := &onPostgres{tokens: map[string]string{}}
	var url string
	o.relay, url = newRelay(t, databasetest.PostgresURL(t))
	data := t.TempDir()
	o.process, err = program.Start(t.Context(), program.Options{
		Binary: binary, Data: data, Args: []string{"--database", url},
		Env: []string{
			"STOA_LOG_LEVEL=error", "STOA_TASKS_REQUESTS_PER_DAY=100000000", "STOA_TASKS_MAX_LIST_TASKS=100000",
			"STOA_CALENDAR_REQUESTS_PER_MINUTE=100000000", "STOA_APIKEYS_REQUESTS_PER_MINUTE=100000000",
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.process.Kill)
	commands, _, err := admin.Dial(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	o.server = &server{url: o.process.URL, admin: commands, http: &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: 16}, Timeout: time.Minute,
	}}
	t.Cleanup(o.close)
	if _, err := commands.Run(t.Context(), "user add",
		map[string][]string{"name": {"writer"}, "password": {"correct horse battery staple"}}, nil); err != nil {
		t.Fatal(err)
	}
	for _, service := range services {
		if o.tokens[service], err = o.issue(t.Context(), "token issue", "token",
			map[string][]string{"user": {"writer"}, "service": {service}}); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// TestLostCommits cuts the connection to PostgreSQL when it has committed and before the
// server hears of it, again and again: five hundred times in full. The request fails or
// is answered, and when it is sent again it has one effect in all.
func TestLostCommits(t *testing.T) {
	t.Parallel()
	o := startOnPostgres(t, "calendar")
	key, err := o.issueKey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l := &lostCommits{onPostgres: o, key: key}
	for want := often(20, 500); l.cuts < want && !t.Failed(); {
		l.exchange(t)
		l.insert(t)
	}
	l.audit(t)
	t.Logf("%d commits without an answer: %d exchanges of a key, %d events, each had one effect", l.cuts, l.exchanges,
		l.events)
}

type lostCommits struct {
	*onPostgres
	key                     string
	cuts, exchanges, events int
}

// send loses the answer of a commit while a request is served, and sends it again until
// it is answered. It reports whether the first one failed.
func (l *lostCommits) send(t *testing.T, path, bearer, body string) (text []byte, again bool) {
	t.Helper()
	before := l.relay.lost()
	l.relay.arm()
	text, err := l.do(t.Context(), http.MethodPost, path, bearer, body)
	if err == nil {
		return text, false
	}
	for began := time.Now(); err != nil; {
		if conflict(err) {
			return nil, true
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("a minute after the cut: %v", err)
		}
		text, err = l.do(t.Context(), http.MethodPost, path, bearer, body)
	}
	if l.relay.lost() > before {
		return text, true
	}
	t.Fatal("a request failed and no answer was lost")
	return nil, false
}

// conflict reports that something is there already.
func conflict(err error) bool { return strings.Contains(err.Error(), ": 409 ") }

// exchange replaces the key; a repetition gives the same successor, and the old one is
// over.
func (l *lostCommits) exchange(t *testing.T) {
	t.Helper()
	const path, body = "/v2/api-keys/refresh", `{"apiKeyNeverExpires":true}`
	text, again := l.send(t, path, l.key, body)
	var got struct{ Data struct{ APIKey string } }
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if again {
		l.cuts++
		third, err := l.refresh(t.Context(), l.key)
		if err != nil || third != got.Data.APIKey {
			t.Errorf("the exchange has two effects: %v", err)
		}
	}
	l.key = got.Data.APIKey
	l.exchanges++
}

// insert makes an event under an id of the client's own; a repetition finds it there.
func (l *lostCommits) insert(t *testing.T) {
	t.Helper()
	l.events++
	body := fmt.Sprintf(`{"id":"lost%05d","start":{"date":"2026-03-10"},"end":{"date":"2026-03-11"}}`, l.events)
	_, again := l.send(t, "/calendar/v3/calendars/primary/events", l.tokens["calendar"], body)
	if again {
		l.cuts++
	}
}

// audit counts the events and keys.
func (l *lostCommits) audit(t *testing.T) {
	t.Helper()
	found := 0
	for page := ""; ; {
		text, err := l.do(t.Context(), http.MethodGet,
			"/calendar/v3/calendars/primary/events?maxResults=250&pageToken="+page, l.tokens["calendar"], "")
		if err != nil {
			t.Fatal(err)
		}
		var list struct {
			NextPageToken string
			Items         []struct{ ID string }
		}
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatal(err)
		}
		found += len(list.Items)
		if page = list.NextPageToken; page == "" {
			break
		}
	}
	if found != l.events {
		t.Errorf("%d events are there, want %d", found, l.events)
	}
	text, err := l.admin.Run(t.Context(), "key list", map[string][]string{"user": {"writer"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Keys []json.RawMessage }
	if err := json.Unmarshal(text, &list); err != nil || len(list.Keys) != 1 {
		t.Errorf("%d keys are live, want the last one: %v %.300s", len(list.Keys), err, text)
	}
}
