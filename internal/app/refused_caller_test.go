package app_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/journal"
)

// entrance is a request of a service that takes a credential.
type entrance struct{ method, path, header, before string }

func entrances() map[string]entrance {
	const bearer, word = "Authorization", "Bearer "
	return map[string]entrance{
		"analytics": {"GET", "/apis/v4/projects/v0", bearer, word},
		"apikeys":   {"POST", "/v2/api-keys/refresh", bearer, word},
		"articles":  {"GET", "/api/v2/authenticated_user", bearer, word},
		"calendar":  {"GET", "/calendar/v3/calendars/primary/events", bearer, word},
		"device":    {"GET", "/oauth2/v3/userinfo", bearer, word},
		"events":    {"GET", "/repos/lyceum/colonnade/issues", bearer, word},
		"generate":  {"GET", "/v1beta/models", "X-Vendor-Api-Key", ""},
		"labels":    {"GET", "/v2/limits/label?name=limits/label", bearer, word},
		"pipelines": {"GET", "/api/v1.1/me", "Pipeline-Token", ""},
		"snapshots": {"GET", "/api/v1/graph/snapshot", "SVC-API-KEY", ""},
		"tasks":     {"GET", "/tasks/v1/users/@me/lists", bearer, word},
	}
}

// TestRefusedCallersAreRecorded asks every service with a token of another one: the journal
// names the user and the token, and the client is told no more than before.
func TestRefusedCallersAreRecorded(t *testing.T) {
	a := start(t, config(t), true)
	secret := map[string]string{}
	for _, service := range []string{"calendar", "tasks"} {
		made, err := a.RunCommand(t.Context(), "token issue", map[string][]string{
			"user": {"ada"}, "service": {service},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		secret[service] = field(t, made, "token")
	}
	for _, m := range a.Modules() {
		at, listed := entrances()[m.Name]
		if !listed {
			if len(m.Scopes)+len(m.Keys) > 0 && m.RegisterRPC == nil {
				t.Errorf("%s takes credentials and is not asked", m.Name)
			}
			continue
		}
		other := secret["calendar"]
		if m.Name == "calendar" {
			other = secret["tasks"]
		}
		status, body := askWith(t, a.URL(), at, other)
		record := newest(t, a.World().Journal)
		if status < 400 || record.Caller() != "personal user=ada" {
			t.Errorf("%s: %d, the journal's caller is %q", m.Name, status, record.Caller())
		}
		if !strings.Contains(record.Reason(), " of ada") || !strings.Contains(record.Reason(), "not good for "+m.Name) {
			t.Errorf("%s: the journal's reason is %q", m.Name, record.Reason())
		}
		for _, word := range []string{"of ada", "not good for", other} {
			if strings.Contains(body, word) {
				t.Errorf("%s tells the client %q: %s", m.Name, word, body)
			}
		}
		if strings.Contains(record.Reason(), other) {
			t.Errorf("%s: the reason holds the secret", m.Name)
		}
	}
}

func askWith(t *testing.T, url string, at entrance, secret string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), at.method, url+at.path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(at.header, at.before+secret)
	v := &visitor{t: t, http: http.DefaultClient}
	return v.do(r)
}

// newest is the record of the last request. It is kept after the answer is sent.
func newest(t *testing.T, j *journal.Journal) *journal.Record {
	t.Helper()
	var last *journal.Record
	for r := range j.OldestFirst() {
		last = r
	}
	if last == nil {
		t.Fatal("nothing was recorded")
	}
	return last
}

// TestStartIsNoUse: a start looks whether the demo's credentials are still good, and that is no
// use of them.
func TestStartIsNoUse(t *testing.T) {
	a := start(t, config(t), true)
	if err := a.SeedDemo(t.Context()); err != nil {
		t.Fatal(err)
	}
	tokens, err := a.RunCommand(t.Context(), "token list", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(tokens)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(raw); !strings.Contains(text, "STOA_TOKEN") || strings.Contains(text, `"last_used_at":"2`) {
		t.Errorf("the demo's tokens were used: %s", text)
	}
}
