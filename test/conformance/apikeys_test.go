package conformance_test

import (
	"net/http"
	"regexp"
	"testing"
	"time"

	"stoa.dev/stoa/test/conformance"
)

const refreshPath = "/v2/api-keys/refresh"

// newKey is the neutral dialect's fixed prefix and what follows it.
var newKey = regexp.MustCompile(`^svc_[0-9a-f]{32}$`)

// TestAPIKeys proves L-01 to L-06.
func TestAPIKeys(t *testing.T) {
	t.Parallel()
	conformance.On(t, func(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
		h := open(t, conformance.Options{})
		h.User(t, "lena")
		t.Run("L-01", func(t *testing.T) { refreshMembers(t, h) })
		t.Run("L-02", func(t *testing.T) {
			answer := refresh(t, h, h.Key(t, "lena", "apikeys"), "{}").Want(t, http.StatusOK).Object(t)
			conformance.Only(t, answer, "status", "data")
			conformance.Only(t, conformance.Sub(t, answer, "data"), "apiKey")
			if got := conformance.Text(t, answer, "status"); got != "success" {
				t.Errorf("status: got %q, want success", got)
			}
			conformance.Text(t, answer, "data", "apiKey")
		})
		t.Run("L-03", func(t *testing.T) { refreshIssues(t, h) })
		t.Run("L-04", func(t *testing.T) { refreshValidity(t, open) })
		t.Run("L-05", func(t *testing.T) { refreshMediaType(t, h) })
		t.Run("L-06", func(t *testing.T) { refreshCredential(t, h) })
	})
}

func refresh(t *testing.T, h *conformance.Server, key, body string) *conformance.Answer {
	t.Helper()
	return h.Do(t, conformance.Call{Method: http.MethodPost, Path: refreshPath, Bearer: key, Body: body})
}

// refreshed is a refresh that must succeed; it returns the new key.
func refreshed(t *testing.T, h *conformance.Server, key, body string) string {
	t.Helper()
	return conformance.Text(t, refresh(t, h, key, body).Want(t, http.StatusOK).Object(t), "data", "apiKey")
}

// refreshEnvelope checks {status:"error", timestamp, path, error:{code,message}}.
func refreshEnvelope(t *testing.T, a *conformance.Answer, status int) {
	t.Helper()
	object := a.Want(t, status).Object(t)
	if got := conformance.Text(t, object, "status"); got != "error" {
		t.Errorf("status: got %q, want error", got)
	}
	if got := conformance.Text(t, object, "path"); got != refreshPath {
		t.Errorf("path: got %q, want %q", got, refreshPath)
	}
	if _, err := time.Parse(time.RFC3339, conformance.Text(t, object, "timestamp")); err != nil {
		t.Errorf("timestamp: %v", err)
	}
	for _, name := range []string{"code", "message"} {
		if conformance.Text(t, object, "error", name) == "" {
			t.Errorf("error.%s is empty in %v", name, a)
		}
	}
}

// refreshMembers sends the two members with every JSON type; a refused request
// leaves the key as it was.
func refreshMembers(t *testing.T, h *conformance.Server) {
	key := h.Key(t, "lena", "apikeys")
	for _, body := range []string{
		`{"apiKeyDaysValid":"60"}`, `{"apiKeyDaysValid":1.5}`, `{"apiKeyDaysValid":true}`, `{"apiKeyDaysValid":[]}`,
		`{"apiKeyDaysValid":{}}`, `{"apiKeyDaysValid":0}`, `{"apiKeyDaysValid":-1}`,
		`{"apiKeyNeverExpires":"true"}`, `{"apiKeyNeverExpires":1}`, `{"apiKeyNeverExpires":[]}`,
		`{"apiKeyDaysValid":30,"apiKeyNeverExpires":true}`, `[]`, `{`, `{} {}`, `{"extra":1}`,
	} {
		refreshEnvelope(t, refresh(t, h, key, body), http.StatusBadRequest)
	}
	for _, body := range []string{
		`{"apiKeyDaysValid":60}`, `{"apiKeyNeverExpires":true}`, `{"apiKeyNeverExpires":false}`,
		`{"apiKeyDaysValid":30,"apiKeyNeverExpires":false}`, `{"apiKeyDaysValid":null}`,
	} {
		key = refreshed(t, h, key, body)
	}
}

func refreshIssues(t *testing.T, h *conformance.Server) {
	old := h.Key(t, "lena", "apikeys")
	fresh := refreshed(t, h, old, "{}")
	if fresh == old {
		t.Errorf("the new key is the old one")
	}
	if !newKey.MatchString(fresh) {
		t.Errorf("new key: got %q, want %s", fresh, newKey)
	}
	if again := refreshed(t, h, old, "{}"); again != fresh {
		t.Errorf("the repetition gave %q, want the same new key", again)
	}
	refreshEnvelope(t, refresh(t, h, old, `{"apiKeyDaysValid":1}`), http.StatusUnauthorized)
	if next := refreshed(t, h, fresh, "{}"); next == fresh {
		t.Errorf("the second refresh returned the same key")
	}
}

// refreshValidity moves the clock, so it has a server of its own.
func refreshValidity(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
	const day = 24 * time.Hour
	for _, tc := range []struct {
		name, body   string
		lives, after time.Duration // still accepted after lives, refused at after; 0 means never refused
	}{
		{name: "one day", body: `{"apiKeyDaysValid":1}`, lives: day - time.Second, after: day},
		{name: "sixty days", body: `{"apiKeyDaysValid":60}`, lives: 60*day - time.Second, after: 60 * day},
		{name: "default", body: `{}`, lives: 30*day - time.Second, after: 30 * day},
		{name: "never", body: `{"apiKeyNeverExpires":true}`, lives: 3650 * day},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := open(t, conformance.Options{})
			h.User(t, "lena")
			kept := refreshed(t, h, h.Key(t, "lena", "apikeys"), tc.body)
			tried := refreshed(t, h, h.Key(t, "lena", "apikeys"), tc.body)
			h.Clock.Advance(tc.lives)
			refresh(t, h, tried, "{}").Want(t, http.StatusOK)
			if tc.after == 0 {
				return
			}
			h.Clock.Advance(tc.after - tc.lives)
			refreshEnvelope(t, refresh(t, h, kept, "{}"), http.StatusUnauthorized)
		})
	}
}

func refreshMediaType(t *testing.T, h *conformance.Server) {
	key := h.Key(t, "lena", "apikeys")
	send := func(mediaType string) *conformance.Answer {
		return h.Do(t, conformance.Call{
			Method: http.MethodPost, Path: refreshPath, Bearer: key, Body: `{"apiKeyDaysValid":60}`,
			Header: http.Header{"Content-Type": {mediaType}},
		})
	}
	refreshEnvelope(t, send("text/plain"), http.StatusUnsupportedMediaType)
	send("application/json; charset=utf-8").Want(t, http.StatusOK)
}

func refreshCredential(t *testing.T, h *conformance.Server) {
	key := h.Key(t, "lena", "apikeys")
	for name, bearer := range conformance.InOrder(map[string]string{
		"no header":          "",
		"without the prefix": key[len("svc_"):],
		"another prefix":     "abc_" + key[len("svc_"):],
		"unknown":            "svc_00000000000000000000000000000000",
		"a token":            h.Token(t, "lena", "labels"),
	}) {
		t.Run(name, func(t *testing.T) {
			refreshEnvelope(t, refresh(t, h, bearer, "{}"), http.StatusUnauthorized)
		})
	}
	refresh(t, h, key, "{}").Want(t, http.StatusOK)
}
