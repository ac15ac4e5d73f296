package commands_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestWhoseClients: an organization that cannot be removed because of its applications shows them, and they show it.
func TestWhoseClients(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		h.mustRun("user add", args("name=ada"))
		h.mustRun("org add", args("name=acme"))
		made := h.mustRun("client add", args("name=site type=web org=acme owner=ada redirect=https://example.com/"))
		id := made["client_id"].(string)
		if got := fmt.Sprint(h.mustRun("org show", args("org=acme"))["applications"]); !strings.Contains(got, id) {
			t.Errorf("org show has %s, want %s in it", got, id)
		}
		listed := h.mustRun("client list", nil)["clients"].([]any)[0].(map[string]any)
		shown := h.mustRun("client show", args("client=site"))
		for name, got := range map[string]map[string]any{"client list": listed, "client show": shown} {
			if got["org"] != "acme" || got["owner"] != "ada" || got["client_id"] != id {
				t.Errorf("%s = %v, want the organization and the owner", name, got)
			}
		}
		for path, values := range map[string]values{"org remove": args("org=acme"), "user remove": args("name=ada")} {
			_, err := h.run(path, values)
			if err == nil || !strings.Contains(err.Error(), "applications (1)") ||
				!strings.Contains(err.Error(), "stoa client remove ID") {
				t.Errorf("%s: %v, want the command that removes applications", path, err)
			}
		}
		other := h.mustRun("client add", args("name=site type=device"))["client_id"].(string)
		_, err := h.run("client remove", args("client=site"))
		if err == nil || !strings.Contains(err.Error(), "2 applications") {
			t.Errorf("a name that two have: %v", err)
		}
		h.mustRun("client remove", args("client="+other))
		h.mustRun("client remove", args("client=site"))
		h.mustRun("org remove", args("org=acme"))
	})
}
