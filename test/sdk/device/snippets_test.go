package device_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"stoa.dev/stoa/test/sdk/world"
)

// TestSnippets runs the programs of two pages while a user, the test, does what they ask for.
func TestSnippets(t *testing.T) {
	s := start(t)
	typed := regexp.MustCompile(`^type (\S+) at `)
	approve := world.Program{Printed: func(line string) {
		if found := typed.FindStringSubmatch(line); found != nil {
			s.decide(t, "approve", found[1])
		}
	}}
	t.Run("a device in Go", func(t *testing.T) {
		good(t, s.Snippet(t, "docs/services/device.md", "go", approve))
	})
	t.Run("a device in JavaScript", func(t *testing.T) {
		good(t, s.Snippet(t, "docs/services/device.md", "js", approve))
	})
	t.Run("a device of analytics", func(t *testing.T) {
		good(t, s.Snippet(t, "docs/services/analytics.md", "go", approve))
	})
	t.Run("an installed application", func(t *testing.T) {
		good(t, s.Snippet(t, "docs/services/device.md", "python", s.installedApplication(t)))
	})
}

func good(t *testing.T, printed string) {
	t.Helper()
	if !strings.Contains(printed, "\ngood ") {
		t.Errorf("the program prints %q, want how long the token is good", printed)
	}
}

// installedApplication is a client as the page registers it, and a user who opens the address that
// the library prints: the browser that it starts itself does nothing.
func (s *server) installedApplication(t *testing.T) world.Program {
	t.Helper()
	var client struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	made := s.Command(t, "client", "add", "Tool", "--type", "device", "--redirect", "http://localhost/",
		"--scope", "openid", "--scope", "tasks", "--json")
	if err := json.Unmarshal([]byte(made), &client); err != nil {
		t.Fatalf("%v: %s", err, made)
	}
	opened := regexp.MustCompile(`visit this URL to authorize this application: (\S+)`)
	return world.Program{
		Python: "google-auth-oauthlib",
		Env:    []string{"CLIENT_ID=" + client.ID, "CLIENT_SECRET=" + client.Secret, "BROWSER=true"},
		Printed: func(line string) {
			if found := opened.FindStringSubmatch(line); found != nil {
				address, err := url.Parse(found[1])
				if err != nil {
					t.Fatal(err)
				}
				back := s.consent(t, found[1])
				read(t, http.DefaultClient, address.Query().Get("redirect_uri")+"?"+back.Encode())
			}
		},
	}
}
