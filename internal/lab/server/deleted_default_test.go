package server_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestDeletedDefaultWorld: the lab's address says how the world that it shows is made again, and other
// addresses which worlds there are.
func TestDeletedDefaultWorld(t *testing.T) {
	s := open(t, t.TempDir())
	s.call("DELETE", "/worlds/default", "", 204)
	for path, want := range map[string]string{
		"/console": "stoa world create --name default", "/w/none/": "stoa world list",
	} {
		status, text := s.do("GET", s.URL()+path, "", "", nil)
		if status != http.StatusNotFound || !strings.Contains(string(text), want) {
			t.Errorf("%s: %d %s, want %q", path, status, text, want)
		}
	}
}
