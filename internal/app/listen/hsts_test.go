package listen

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestHSTS(t *testing.T) {
	t.Parallel()
	h := withHSTS(http.NotFoundHandler())
	for host, want := range map[string]bool{
		"stoa.example": true, "stoa.example:8443": true, "localhost.stoa.example": true,
		"localhost": false, "localhost:8443": false, "team.localhost:8443": false, "LOCALHOST.": false,
		"192.0.2.7": false, "192.0.2.7:8443": false, "[2001:db8::7]": false, "[2001:db8::7]:8443": false, "": false,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if got := w.Header().Get("Strict-Transport-Security") != ""; got != want {
			t.Errorf("%q: %t, want %t", host, got, want)
		}
	}
}
