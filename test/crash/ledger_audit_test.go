package crash_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestAuditFindsLoss shows that the audit can fail: a server that forgets an
// acknowledged key, or brings back a replaced one, is found out.
func TestAuditFindsLoss(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		known []string // keys the server still accepts
		chain chain
		want  string // part of the complaint; empty means none
	}{
		{name: "intact", known: []string{"new"}, chain: chain{live: "new", dead: []string{"old"}}},
		{name: "acknowledged key lost", chain: chain{live: "new"}, want: "is lost"},
		{name: "replaced key is back", known: []string{"old", "new"}, chain: chain{
			live: "new", dead: []string{"old"},
		}, want: "is back"},
		{name: "cut off and not done", known: []string{"new"}, chain: chain{live: "new", cutOff: true}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				for _, key := range tc.known {
					if r.Header.Get("Authorization") == "Bearer "+key {
						_, _ = w.Write([]byte(`{"data":{"apiKey":"next"}}`))
						return
					}
				}
				w.WriteHeader(http.StatusUnauthorized)
			}))
			t.Cleanup(web.Close)
			c := tc.chain
			err := c.audit(t.Context(), &server{url: web.URL, http: web.Client()})
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("audit: got %v, want %q", err, tc.want)
			}
		})
	}
}
