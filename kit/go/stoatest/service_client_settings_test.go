package stoatest_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"stoa.dev/stoa/kit/go/stoatest"
)

// Every service answers a client that has its settings and nothing else.
func TestSettings(t *testing.T) {
	t.Parallel()
	world := stoatest.World(t)
	for service, ask := range map[string]string{
		"packages":  "/v3/systems/npm/packages/%40stoa%2Fcolonnade",
		"tasks":     "/tasks/v1/users/@me/lists",
		"labels":    "/v2/limits/label?name=limits/label",
		"snapshots": "/api/v1/validate",
		"articles":  "/api/v2/authenticated_user",
		"pipelines": "/api/v1.1/me",
		"calendar":  "users/me/calendarList",
		"events":    "repos/" + world.Env["STOA_REPO"] + "/events",
		"analytics": "/apis/v4/projects/v0",
		"apikeys":   "/v2/api-keys/refresh",
		"generate":  "/v1beta/models",
		"device":    "/device/code",
		"kms":       "",
	} {
		s, ok := world.Services()[service]
		switch {
		case !ok:
			t.Errorf("%s has no settings", service)
		case service == "kms":
			if !strings.HasPrefix(s.URL, "unix:/") {
				t.Errorf("kms is at %q", s.URL)
			}
		default:
			if status, text := reach(t, s, service, ask); status/100 != 2 {
				t.Errorf("%s: %d %.200s", service, status, text)
			}
		}
	}
	if n := len(world.Services()); n != 13 {
		t.Errorf("%d services", n)
	}
	if s := world.Generate(); s.Env["GEMINI_API_KEY"] != s.Token || s.Env["GOOGLE_GEMINI_BASE_URL"] != world.URL {
		t.Errorf("the variables of generate are %v", s.Env)
	}
	if s := world.Tasks().WithToken("wrong"); s.Header.Get("Authorization") != "Bearer wrong" {
		t.Errorf("the header is %v", s.Header)
	}
}

func reach(t *testing.T, s stoatest.Settings, service, path string) (int, string) {
	t.Helper()
	var answer *http.Response
	var err error
	switch service {
	case "device":
		answer, err = s.HTTPClient().PostForm(s.URL+path, url.Values{"client_id": {s.Token}, "scope": {"video.readonly"}})
	case "apikeys":
		answer, err = s.HTTPClient().Post(s.URL+path, "application/json", strings.NewReader(`{"apiKeyDaysValid":60}`))
	default:
		answer, err = s.HTTPClient().Get(s.URL + path)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}
