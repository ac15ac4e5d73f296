package product_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/program"
)

var forClients = regexp.MustCompile(`(?s)(<!-- clients: [^>]*-->\n).*?(<!-- end -->)`)

// clientNames are the packages that drive each service, without their versions.
func clientNames(t *testing.T, root string) map[string][]string {
	t.Helper()
	var services []string
	for _, m := range app.Services() {
		services = append(services, m.Name)
	}
	found := map[string][]string{}
	for service, with := range clients(t, root, services) {
		for _, client := range with {
			name, _, _ := strings.Cut(client, " ")
			if !slices.Contains(found[service], name) {
				found[service] = append(found[service], name)
			}
		}
	}
	return found
}

// TestForClients: the page of every service names the clients that docs/sdks.md has for it, so that who knows only the
// client finds the service.
func TestForClients(t *testing.T) {
	t.Parallel()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	names := clientNames(t, root)
	for _, m := range app.Services() {
		path := filepath.Join(root, "docs", "services", m.Name+".md")
		text := read(t, root, "docs/services/"+m.Name+".md")
		if !forClients.MatchString(text) {
			t.Errorf("docs/services/%s.md has no place for its clients", m.Name)
			continue
		}
		line := "For any HTTP client; no package of clients is driven here.\n"
		if with := names[m.Name]; len(with) > 0 {
			line = "For clients of " + strings.Join(with, ", ") + ": [what they were seen to do](../sdks.md).\n"
		}
		want := forClients.ReplaceAllString(text, "${1}"+line+"${2}")
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil { //nolint:gosec // a page of the repository
				t.Fatal(err)
			}
		} else if want != text {
			t.Errorf("docs/services/%s.md does not name the clients of docs/sdks.md: "+
				"go test ./test/product -run TestForClients -update", m.Name)
		}
	}
}
