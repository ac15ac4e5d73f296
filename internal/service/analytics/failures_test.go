package analytics_test

import (
	"context"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/analytics"
)

// A failure of ours is 550 in both envelopes, says nothing of its cause, and the
// log has the cause with the request's id.
func TestFailuresAreLogged(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, func(t *testing.T, d *testServer) {
		err := d.World.DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			for _, table := range []string{"analytics_projects", "analytics_locations"} {
				if _, err := tx.Exec(t.Context(), `DROP TABLE `+table); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for path, table := range map[string]string{projects: "analytics_projects", locationsPath: "analytics_locations"} {
			w := d.call("GET", path, "")
			if w.Code != 550 || strings.Contains(w.Body.String(), table) {
				t.Errorf("GET %s: got %d %s", path, w.Code, w.Body)
			}
			logged := false
			for line := range strings.SplitSeq(d.Log.String(), "\n") {
				logged = logged ||
					strings.Contains(line, table) && strings.Contains(line, w.Header().Get("X-Request-Id"))
			}
			if !logged {
				t.Errorf("the log has no line with %s and %s:\n%s", table, w.Header().Get("X-Request-Id"), d.Log)
			}
		}
	})
}

// No data request is served during maintenance.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	d := newServer(t, "", func(c *analytics.Config) { c.Maintenance = true })
	for _, path := range []string{projects, locationsPath, campaigns} {
		d.ok(t, 553, "GET", path, "")
	}
	if got := d.Server.Call("POST", "/dag/device/code", "").Code; got != 200 {
		t.Errorf("the token flows: got %d, want 200", got)
	}
}

// One owner has half of the requests in flight at most, with any number of tokens.
func TestOverloadByOneOwner(t *testing.T) {
	t.Parallel()
	d := newServer(t, "", func(c *analytics.Config) { c.MaxInFlight = 2 })
	body, send := io.Pipe()
	slow := httptest.NewRequest("POST", projects, body)
	slow.Header.Set("Authorization", "Bearer "+d.token)
	slow.Header.Set("Content-Type", "application/json")
	done := make(chan int)
	go func() { done <- d.Do(slow).Code }()
	if _, err := send.Write([]byte(`{"url":`)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"kim": 553, "bob": 200} {
		if w := d.Server.Call("GET", projects, "", "Authorization: Bearer "+d.Server.Token(name)); w.Code != want {
			t.Errorf("%s: got %d %s, want %d", name, w.Code, w.Body, want)
		}
	}
	send.Close()
	<-done
}

// A request above the number that may be in flight is told to come later.
func TestOverload(t *testing.T) {
	t.Parallel()
	d := newServer(t, "", func(c *analytics.Config) { c.MaxInFlight = 1 })
	body, send := io.Pipe()
	slow := httptest.NewRequest("POST", projects, body)
	slow.Header.Set("Authorization", "Bearer "+d.token)
	slow.Header.Set("Content-Type", "application/json")
	done := make(chan int)
	go func() { done <- d.Do(slow).Code }()
	// A write to the pipe returns when the handler reads: it is being served.
	if _, err := send.Write([]byte(`{"url":`)); err != nil {
		t.Fatal(err)
	}
	d.ok(t, 553, "GET", projects, "")
	d.ok(t, 553, "GET", locationsPath, "")
	if _, err := send.Write([]byte(`"slow.example"}`)); err != nil {
		t.Fatal(err)
	}
	send.Close()
	if got := <-done; got != 200 {
		t.Errorf("the slow one: got %d, want 200", got)
	}
	d.ok(t, 200, "GET", projects, "")
}
