package calendar_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/service/calendar"
)

// meanwhile runs statements in a transaction that a request waits for: they are committed after the request has opened
// its calendar and before it writes. SQLite has one writer, so that what waits can be counted.
func meanwhile(
	t *testing.T, h *identitytest.Server, request func() *httptest.ResponseRecorder, statements ...string,
) *httptest.ResponseRecorder {
	t.Helper()
	answers := make(chan *httptest.ResponseRecorder, 1)
	err := h.World.DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		go func() { answers <- request() }()
		for end := time.Now().Add(30 * time.Second); h.World.DB.Stats().Queued == 0; <-time.After(time.Millisecond) {
			if time.Now().After(end) {
				t.Error("the request does not write")
				break
			}
		}
		for _, sql := range statements {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return <-answers
}

// TestRoleLostMeanwhile: who loses a role while a change waits for its turn does not make it.
func TestRoleLostMeanwhile(t *testing.T) {
	t.Parallel()
	for _, op := range []struct {
		name, role, method, path string
		body                     object
	}{
		{"events.insert", "writer", "POST", "/events", event("x", "2026-03-10", 9)},
		{"events.import", "writer", "POST", "/events/import", event("x", "2026-03-10", 9, "iCalUID", "u@x")},
		{"events.patch", "writer", "PATCH", "/events/EVENT", object{"location": "x"}},
		{"events.delete", "writer", "DELETE", "/events/EVENT", nil},
		{"events.move", "writer", "POST", "/events/EVENT/move?destination=primary", nil},
		{"calendars.patch", "owner", "PATCH", "", object{"location": "x"}},
		{"calendars.delete", "owner", "DELETE", "", nil},
		{
			"acl.insert", "owner", "POST", "/acl",
			object{"role": "reader", "scope": object{"type": "user", "value": "new@example.com"}},
		},
	} {
		t.Run(op.name, func(t *testing.T) {
			t.Parallel()
			h := identitytest.SQLite(t, build)
			ada, grace := of(h, "ada"), of(h, "grace")
			grace.do(t, 200, "GET", "/calendars/primary", nil)
			path := "/calendars/" + newCalendar(t, ada)
			id := ada.do(t, 200, "POST", path+"/events", event("kept", "2026-03-10", 9))["id"].(string)
			ada.do(t, 200, "POST", path+"/acl", object{
				"role": op.role, "scope": object{"type": "user", "value": grace.address},
			})
			w := meanwhile(t, h, func() *httptest.ResponseRecorder {
				return grace.call(op.method, path+replaced(op.path, "EVENT", id), op.body)
			}, `UPDATE calendar_acl SET role = 'reader' WHERE scope_value = 'grace@localhost' AND calendar_id <> scope_value`,
				`UPDATE calendar_calendars SET acl_seq = acl_seq + 1`)
			if w.Code != 403 {
				t.Errorf("status %d, want 403: %s", w.Code, w.Body)
			}
		})
	}
}

// TestOwnerChangedMeanwhile: the access of a calendar's new owner is not lowered by a change that was asked for before
// the calendar was theirs.
func TestOwnerChangedMeanwhile(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build)
	ada, grace := of(h, "ada"), of(h, "grace")
	grace.do(t, 200, "GET", "/calendars/primary", nil)
	path := "/calendars/" + newCalendar(t, ada)
	rule := object{"role": "owner", "scope": object{"type": "user", "value": grace.address}}
	ada.do(t, 200, "POST", path+"/acl", rule)
	w := meanwhile(t, h, func() *httptest.ResponseRecorder {
		return ada.call("PATCH", path+"/acl/user:"+grace.address, object{"role": "none"})
	}, `UPDATE calendar_calendars SET version = version + 1,
		owner_id = (SELECT user_id FROM calendar_people WHERE address = 'grace@localhost') WHERE NOT is_primary`)
	if w.Code != 403 {
		t.Errorf("status %d, want 403: %s", w.Code, w.Body)
	}
}

// together runs requests until all wait for a lock, those for the rules of calendars included, and lets them go on.
func together(
	t *testing.T, h *identitytest.Server, requests ...func() *httptest.ResponseRecorder,
) (answers []*httptest.ResponseRecorder) {
	t.Helper()
	ended := make(chan *httptest.ResponseRecorder, len(requests))
	err := h.World.DB.WriteKeyed(t.Context(), "another process", func(ctx context.Context, tx *database.Tx) error {
		if _, err := tx.Exec(ctx, `LOCK TABLE calendar_acl IN EXCLUSIVE MODE`); err != nil {
			return err
		}
		for _, request := range requests {
			go func() { ended <- request() }()
		}
		for waiting := 0; waiting+len(ended) < len(requests); <-time.After(time.Millisecond) {
			err := h.World.DB.QueryRow(t.Context(), `SELECT COUNT(*) FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for range requests {
		answers = append(answers, <-ended)
	}
	return answers
}

// TestCalendarsOfTheNewOwner: calendars that come to a user at once, made or given, are no more than one may own.
func TestCalendarsOfTheNewOwner(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"two are given", "one is made"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := calendar.DefaultConfig()
			c.CalendarsPerUser = 3
			h := identitytest.Open(t, configured(c), databasetest.PostgresURL(t))
			ada, grace := of(h, "ada"), of(h, "grace")
			newCalendar(t, grace) // Beside her primary one, so that she may have one more.
			give := func(id string) func() *httptest.ResponseRecorder {
				return func() *httptest.ResponseRecorder {
					return ada.call("POST", "/calendars/"+id+"/transferOwnership?newDataOwner="+grace.address, nil)
				}
			}
			first, second := give(newCalendar(t, ada)), give(newCalendar(t, ada))
			if name == "one is made" {
				second = func() *httptest.ResponseRecorder {
					return grace.call("POST", "/calendars", object{"summary": "x"})
				}
			}
			refused := 0
			for _, w := range together(t, h, first, second) {
				if w.Code == 403 {
					refused++
				} else if w.Code/100 != 2 {
					t.Errorf("status %d: %s", w.Code, w.Body)
				}
			}
			if refused != 1 {
				t.Errorf("%d of 2 refused, want 1", refused)
			}
		})
	}
}

// TestZoneChangedMeanwhile: a whole day begins at midnight of the zone that its calendar has when it is written.
func TestZoneChangedMeanwhile(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build)
	ada := of(h, "ada")
	ada.do(t, 200, "GET", "/calendars/primary", nil)
	day := object{"summary": "day", "start": object{"date": "2026-03-10"}, "end": object{"date": "2026-03-11"}}
	w := meanwhile(t, h, func() *httptest.ResponseRecorder {
		return ada.call("POST", "/calendars/primary/events", day)
	}, `UPDATE calendar_calendars SET version = version + 1, doc = '{"summary":"x","timeZone":"Asia/Tokyo"}'`)
	if w.Code != 200 {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	found, _ := ada.events(t, "timeMin", "2026-03-09T14:00:00Z", "timeMax", "2026-03-09T16:00:00Z")
	expect(t, "on its first hour in Tokyo", texts(found, "summary"), "day")
}
