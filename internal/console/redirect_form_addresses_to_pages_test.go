package console_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// TestFormAddressesLeadToPages asks for every address that a form is sent to, as a browser does
// that loads it again: it is a page, or leads to one.
func TestFormAddressesLeadToPages(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.signIn("ada")
	const base = "http://stoa.test"
	asked := 0
	for _, r := range h.Module.Routes {
		if r.Method != http.MethodPost || strings.HasPrefix(r.Pattern, "/console/lab/") ||
			strings.HasPrefix(r.Pattern, "/console/data/") || strings.HasPrefix(r.Pattern, "/console/admin") ||
			r.Name == "graphs.keep" {
			continue // these have pages of their own at the same addresses
		}
		asked++
		path := regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(r.Pattern, "7")
		w := h.send("GET", base+path, nil, "Accept: text/html")
		if w.Code == http.StatusSeeOther {
			to := w.Header().Get("Location")
			if strings.Contains(to, "{") || !strings.HasPrefix(path, to) && to != "/console" {
				t.Errorf("GET %s leads to %s", path, to)
			}
			continue
		}
		if w.Code == http.StatusNotFound || w.Code == http.StatusMethodNotAllowed {
			t.Errorf("GET %s: %d", path, w.Code)
		}
	}
	if asked < 15 {
		t.Errorf("%d forms were found", asked)
	}
}
