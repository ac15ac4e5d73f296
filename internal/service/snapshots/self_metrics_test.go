package snapshots_test

import (
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
	query := "sum:stoa.http_requests_total{service:snapshots,route:validate}"
	for began := time.Now(); ; <-time.After(time.Millisecond) {
		h.Clock.Advance(15 * time.Second)
		if got := root.points(query); strings.Contains(got, "=1 ") || strings.HasSuffix(got, "=1") {
			break
		}
		if time.Since(began) > 20*time.Second {
			t.Fatalf("%s = %q, want the one call", query, root.points(query))
		}
	}
	// A counter is what was added since the sample before: it does not climb while
	// nothing is asked, and its rate is per second.
	if got := root.points(query); strings.Count(got, "=1") != 1 || strings.Count(got, " 1") != 0 {
		t.Errorf("%s = %q, want the one call once", query, got)
	}
	if got := root.points(query + ".as_rate()"); !strings.Contains(got, "0.01666") {
		t.Errorf("%s.as_rate() = %q, want one call in the minute of a point", query, got)
	}
	for metric, want := range map[string]string{
		"stoa.http_requests_total":           `"type":"count","unit":null`,
		"stoa.process_resident_memory_bytes": `"type":"gauge","unit":"byte"`,
	} {
		got := root.get("/api/v1/metrics/"+metric, nil)
		if got.Code != 200 || !strings.Contains(got.Body.String(), want) {
			t.Errorf("%s: %d %s, want %s", metric, got.Code, got.Body, want)
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
