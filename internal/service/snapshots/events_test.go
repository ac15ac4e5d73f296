package snapshots

import (
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/snapshots/events"
)

// An owner has max_events at most, after a post and after a sweep.
func TestEventsOfAnOwnerAreBounded(t *testing.T) {
	t.Parallel()
	var s *Service
	h := identitytest.SQLite(t, func(w *world.World, identity *identity.Identity) module.Module {
		c := DefaultConfig()
		c.MaxEvents = 5
		s = New(w, identity, c)
		return s.Module()
	})
	bounded := func(after string) {
		t.Helper()
		var n int
		err := h.World.DB.QueryRow(t.Context(), `SELECT COUNT(*) FROM snapshots_events`).Scan(&n)
		if err != nil || n != 5 {
			t.Errorf("%d events after %s, %v, want 5", n, after, err)
		}
	}
	for range 12 {
		if _, err := s.PostEvent(t.Context(), Tenant{Org: "u1"}, events.Event{Title: "deployed"}); err != nil {
			t.Fatal(err)
		}
	}
	bounded("posts")
	_, err := h.World.DB.Exec(t.Context(), `INSERT INTO snapshots_events SELECT id + 1, org, happened, title, body,
		priority, alert_type, host, source, tags, aggregation_key, device_name, related_event_id, created_at
		FROM snapshots_events`)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.runSweep(t.Context(), jobs.Job{}, sweep{}); err != nil {
		t.Fatal(err)
	}
	bounded("a sweep")
}
