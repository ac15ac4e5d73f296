package calendar_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
)

// TestManyLongInstances: instances that differ from their series are listed in pages, and go with it, also where they
// are together more than a request may have in memory. Who invites others puts them on their calendars.
func TestManyLongInstances(t *testing.T) {
	t.Parallel()
	small := func(w *world.World, identity *identity.Identity) module.Module {
		o := budget.MemoryOptions(1)
		o.Total, o.PerOwner, o.Anonymous, o.Share, o.Beyond = 96<<20, 44<<20, 44<<20, 12<<20, 44<<20
		w.Memory = budget.New(o)
		return build(w, identity)
	}
	identitytest.Run(t, small, func(t *testing.T, h *identitytest.Server) {
		const instances = 460
		ada := of(h, "ada")
		other := ada.do(t, 200, "POST", "/calendars", object{"summary": "Other"})["id"].(string)
		series := ada.insert(t, event("s", "2026-03-10", 9, "recurrence", []string{
			fmt.Sprintf("RRULE:FREQ=DAILY;COUNT=%d", instances),
		}))["id"].(string)
		ada.do(t, 200, "PATCH", primary+series+"_20260310T090000Z", object{"extendedProperties": long(100)[1]})
		copyInstances(t, h, ada.address, series, instances)

		for name, path := range map[string]string{
			"single events": "/calendars/primary/events?maxResults=2500&singleEvents=true",
			"instances":     "/calendars/primary/events/" + series + "/instances?maxResults=2500",
		} {
			seen := map[any]bool{}
			for page := ""; ; {
				out := ada.do(t, 200, "GET", path+page, nil)
				for _, one := range out["items"].([]any) {
					seen[one.(object)["start"].(object)["dateTime"]] = true
				}
				if out["nextPageToken"] == nil {
					break
				}
				page = "&pageToken=" + fmt.Sprint(out["nextPageToken"])
			}
			expect(t, name, len(seen), instances)
		}
		busy := ada.do(t, 200, "POST", "/freeBusy", object{
			"timeMin": "2026-03-01T00:00:00Z", "timeMax": "2028-03-01T00:00:00Z", "items": []object{{"id": ada.address}},
		})["calendars"].(object)[ada.address].(object)["busy"].([]any)
		expect(t, "busy periods", len(busy), instances)
		ada.do(t, 200, "POST", "/calendars/primary/events/"+series+"/move?destination="+other, nil)
		ada.do(t, 204, "DELETE", "/calendars/"+other+"/events/"+series, nil)
		single, _ := ada.list(t, "/calendars/"+other+"/events", params("singleEvents", "true"))
		expect(t, "what is left", len(single), 0)
	})
}

// copyInstances stores the other instances of a daily series as the first one is stored.
func copyInstances(t *testing.T, h *identitytest.Server, calendar, series string, count int) {
	t.Helper()
	first := time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)
	err := h.World.DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		for n := 1; n < count; n++ {
			day, from := first.AddDate(0, 0, n), "2026-03-10T09:00:00Z"
			if _, err := tx.Exec(ctx, `
				INSERT INTO calendar_events (calendar_id, id, series, uid, cancelled, recurring, starts, ends, seq, updated,
					doc, origin)
				SELECT calendar_id, $3, series, uid, cancelled, recurring, $4, $5, seq, updated,
					`+withText(tx)+`, origin
				FROM calendar_events WHERE calendar_id = $1 AND id = $2`,
				calendar, series+"_20260310T090000Z", series+"_"+day.Format("20060102T150405Z"), database.Time(day),
				database.Time(day.Add(time.Hour)), from, day.Format(time.RFC3339)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// withText is the document with one text in place of another.
func withText(tx *database.Tx) string {
	if tx.Engine() == database.SQLite {
		return `CAST(REPLACE(CAST(doc AS TEXT), $6, $7) AS BLOB)`
	}
	return `convert_to(REPLACE(convert_from(doc, 'UTF8'), $6, $7), 'UTF8')`
}
