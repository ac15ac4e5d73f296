package calendar_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/database"
)

// TestCountsAreExact: after any changes, some of them at once, the numbers kept
// of events, entries and channels are the numbers of rows.
func TestCountsAreExact(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build, func(t *testing.T, h *identitytest.Server) {
		n := 0
		rapid.Check(t, func(rt *rapid.T) {
			n++
			owner, guest := of(h, fmt.Sprint("owner", n)), of(h, fmt.Sprint("guest", n))
			c := newCounted(t, n, owner, guest)
			steps := rapid.SliceOfN(rapid.IntRange(0, 11), 1, 30).Draw(rt, "steps")
			var wg sync.WaitGroup
			for worker := range 3 {
				wg.Go(func() {
					for i := worker; i < len(steps); i += 3 {
						c.step(steps[i], i)
					}
				})
			}
			wg.Wait()
			if rapid.Bool().Draw(rt, "sweep") {
				h.Clock.Advance(31 * 24 * time.Hour)
				if err := h.World.Jobs.Settle(t.Context()); err != nil {
					rt.Fatal(err)
				}
			}
			for what, wrong := range wrongCounts(t, h.World.DB) {
				rt.Errorf("%s: %s", what, wrong)
			}
		})
	})
}

// counted is what a run of TestCountsAreExact changes.
type counted struct {
	n            int
	owner, guest *client
	other        string // a second calendar, which is deleted now and then
}

func newCounted(t *testing.T, n int, owner, guest *client) *counted {
	c := &counted{n: n, owner: owner, guest: guest}
	c.other = owner.do(t, 200, "POST", "/calendars", object{"summary": "Other"})["id"].(string)
	guest.do(t, 200, "GET", "/calendars/primary", nil)
	return c
}

// step makes one change, which may be refused.
func (c *counted) step(kind, i int) {
	const events = "/calendars/primary/events"
	id := fmt.Sprint("event", i%4)
	series := event(id, "2026-03-10", 9, "id", id, "recurrence", []string{"RRULE:FREQ=DAILY;COUNT=5"})
	instance := id + "_20260311T090000Z"
	channel := object{"id": fmt.Sprint("c", c.n, "-", i%5), "type": "web_hook", "address": "https://receiver.invalid/x"}
	if i%2 == 0 {
		channel["params"] = object{"ttl": "60"}
	}
	access := object{"role": "writer", "scope": object{"type": "user", "value": c.guest.address}}
	switch kind {
	case 0, 1:
		c.owner.call("POST", events, series)
	case 2:
		c.owner.call("PATCH", events+"/"+instance, object{"summary": "differs"})
	case 3:
		c.owner.call("DELETE", events+"/"+instance, nil)
	case 4:
		c.owner.call("PATCH", events+"/"+id, object{"recurrence": []string{"RRULE:FREQ=DAILY;COUNT=1"}})
	case 5:
		c.owner.call("DELETE", events+"/"+id, nil)
	case 6:
		c.owner.call("POST", events+"/"+id+"/move?destination="+c.other, nil)
	case 7:
		c.owner.call("POST", events+"/import", event("i", "2026-03-10", 9, "iCalUID", fmt.Sprint(i%2, "@example.com")))
	case 8:
		c.owner.call("POST", "/calendars/primary/acl", access)
		c.guest.call("POST", "/users/me/calendarList", object{"id": c.owner.address})
		c.guest.call("POST", "/calendars/"+c.owner.address+"/events/watch", channel)
	case 9:
		c.owner.call("DELETE", "/calendars/primary/acl/user:"+c.guest.address, nil)
	case 10:
		c.owner.call("POST", "/calendars/"+c.other+"/events/watch", channel)
		c.owner.call("DELETE", "/calendars/"+c.other, nil)
	default:
		c.owner.call("POST", "/calendars/primary/clear", nil)
	}
}

// wrongCounts compares every number that is kept with a count.
func wrongCounts(t *testing.T, db *database.DB) map[string]string {
	t.Helper()
	wrong := map[string]string{}
	for what, text := range map[string]string{
		"events": `SELECT id, event_count,
			(SELECT COUNT(*) FROM calendar_events e WHERE e.calendar_id = c.id) FROM calendar_calendars c`,
		"entries": `SELECT address, entry_count,
			(SELECT COUNT(*) FROM calendar_entries e WHERE e.user_id = p.user_id) FROM calendar_people p`,
		"channels": `SELECT address, channel_count,
			(SELECT COUNT(*) FROM calendar_channels c WHERE c.user_id = p.user_id) FROM calendar_people p`,
		"channels not ended": `SELECT address, unended_count,
			(SELECT COUNT(*) FROM calendar_channels c WHERE c.user_id = p.user_id AND c.ended IS NULL)
			FROM calendar_people p`,
	} {
		_, err := database.All(t.Context(), db, func(s database.Scanner) (_ struct{}, err error) {
			var whose string
			var kept, counted int64
			if err = s.Scan(&whose, &kept, &counted); err == nil && kept != counted {
				wrong[what+" of "+whose] = fmt.Sprintf("%d are kept, %d were counted", kept, counted)
			}
			return struct{}{}, err
		}, text)
		if err != nil {
			t.Fatal(err)
		}
	}
	return wrong
}

// TestEventsOfOneCalendar: a full calendar takes no new row, but changes of those
// that it has, until some are forgotten.
func TestEventsOfOneCalendar(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		made := ada.insert(t, event("x", "2026-03-10", 9, "recurrence", []string{"RRULE:FREQ=DAILY;COUNT=3"}))
		path := "/calendars/primary/events/" + made["id"].(string)
		other := ada.do(t, 200, "POST", "/calendars", object{"summary": "Other"})["id"].(string)
		there := ada.do(t, 200, "POST", "/calendars/"+other+"/events", event("y", "2026-03-10", 9))["id"].(string)
		err := ada.h.World.DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			_, err := tx.Exec(ctx, `UPDATE calendar_calendars SET event_count = 50000 WHERE id = $1`, ada.address)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		full := func(method, path string, body object) {
			t.Helper()
			ada.refused(t, 403, "quotaExceeded", method, path, body)
		}
		full("POST", "/calendars/primary/events", event("z", "2026-03-10", 9))
		full("POST", "/calendars/primary/events/import", event("z", "2026-03-10", 9, "iCalUID", "z@example.com"))
		full("PATCH", path+"_20260311T090000Z", object{"summary": "differs"})
		full("POST", "/calendars/"+other+"/events/"+there+"/move?destination=primary", nil)
		ada.do(t, 200, "PATCH", path, object{"summary": "changed"})
		ada.do(t, 204, "DELETE", path, nil)
		full("POST", "/calendars/primary/events", event("z", "2026-03-10", 9))
		ada.h.Clock.Advance(31 * 24 * time.Hour)
		if err := ada.h.World.Jobs.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		ada.insert(t, event("z", "2026-03-10", 9))
	})
}
