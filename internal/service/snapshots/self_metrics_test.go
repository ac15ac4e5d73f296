package snapshots_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/service/snapshots"
)

// The server's own metrics wait in memory until the store is used, then show
// the past to administrators and to no other user.
func TestOwnMetrics(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(snapshots.DefaultConfig()))
	if _, err := h.Identity.AddUser(t.Context(), identity.NewUser{
		Name: "root", Password: "correct horse battery staple", Admin: true,
	}); err != nil {
		t.Fatal(err)
	}
	root, ada := newClient(t, h, "root"), newClient(t, h, "ada")
	root.want(root.Call("GET", "/api/v1/validate", "", "SVC-API-KEY: "+root.api), 200)
	// Opens the store; samples that are taken later go straight into it.
	query := "max:stoa.http_requests_total{service:snapshots,route:validate}"
	for began := time.Now(); ; runtime.Gosched() {
		h.Clock.Advance(15 * time.Second)
		if got := root.points(query); strings.Contains(got, "=1 ") || strings.HasSuffix(got, "=1") {
			break
		}
		if time.Since(began) > 20*time.Second {
			t.Fatalf("%s = %q, want the one call", query, root.points(query))
		}
	}
	if got := ada.points(query); got != "" {
		t.Errorf("ada reads %q", got)
	}
	if !strings.Contains(
		root.get("/api/v1/search", map[string][]string{"q": {"http_requests"}}).Body.String(),
		"stoa.http_requests_total",
	) {
		t.Error("an administrator does not find the server's own metrics")
	}
}
