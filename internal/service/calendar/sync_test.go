package calendar_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/identity/identitytest"
)

func TestSync(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		for i := range 5 {
			ada.insert(t, event(fmt.Sprint("e", i), "2026-03-10", 10+i))
		}
		items, sync := ada.events(t, "maxResults", "2")
		expect(t, "all", texts(items, "summary"), "e0 e1 e2 e3 e4")
		items, same := ada.events(t, "syncToken", sync)
		expect(t, "nothing changed", len(items), 0)

		ada.do(t, 200, "PATCH", "/calendars/primary/events/"+itemID(t, ada, 1), object{"summary": "changed"})
		ada.do(t, 204, "DELETE", "/calendars/primary/events/"+itemID(t, ada, 0), nil)
		ada.insert(t, event("new", "2026-03-11", 10))
		items, _ = ada.events(t, "syncToken", same, "maxResults", "1")
		expect(t, "what changed", texts(items, "summary")+" "+texts(items, "status"),
			"changed e0 new confirmed cancelled confirmed")

		ada.h.Clock.Advance(31 * 24 * time.Hour)
		ada.refused(t, 410, "fullSyncRequired", "GET", "/calendars/primary/events?syncToken="+same, nil)
	})
}

// itemID is the id of the n-th event by start.
func itemID(t *testing.T, c *client, n int) string {
	t.Helper()
	items, _ := c.events(t, "singleEvents", "true", "orderBy", "startTime")
	return items[n]["id"].(string)
}

func TestSyncEnds(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		series := ada.insert(t, event("daily", "2026-03-10", 9, "recurrence", []string{"RRULE:FREQ=DAILY;COUNT=5"}))
		_, plain := ada.events(t)
		_, single := ada.events(t, "singleEvents", "true")
		ada.do(t, 200, "PATCH", "/calendars/primary/events/"+series["id"].(string), object{
			"recurrence": []string{"RRULE:FREQ=DAILY;COUNT=3"},
		})
		ada.refused(t, 410, "fullSyncRequired", "GET", "/calendars/primary/events?singleEvents=true&syncToken="+single,
			nil)
		items, plain := ada.events(t, "syncToken", plain)
		expect(t, "series that changed", len(items), 1)

		// A series that drops a known instance cannot report it.
		last := series["id"].(string) + "_20260312T090000Z"
		ada.do(t, 200, "PATCH", "/calendars/primary/events/"+last, object{"summary": "differs"})
		_, plain = ada.events(t, "syncToken", plain)
		ada.do(t, 200, "PATCH", "/calendars/primary/events/"+series["id"].(string), object{
			"recurrence": []string{"RRULE:FREQ=DAILY;COUNT=2"},
		})
		ada.refused(t, 410, "fullSyncRequired", "GET", "/calendars/primary/events?syncToken="+plain, nil)
		_, plain = ada.events(t)

		ada.do(t, 204, "POST", "/calendars/primary/clear", nil)
		ada.refused(t, 410, "fullSyncRequired", "GET", "/calendars/primary/events?syncToken="+plain, nil)

		grace := of(ada.h, "grace")
		rule := object{"role": "reader", "scope": object{"type": "user", "value": grace.address}}
		ada.do(t, 200, "POST", "/calendars/primary/acl", rule)
		path := "/calendars/" + ada.address + "/events"
		_, hers := grace.list(t, path, params())
		rule["role"] = "writer"
		ada.do(t, 200, "POST", "/calendars/primary/acl", rule)
		grace.refused(t, 410, "fullSyncRequired", "GET", path+"?syncToken="+hers, nil)
	})
}

// TestSweepForgets: what was deleted long ago goes, and old tokens with it.
func TestSweepForgets(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		made := ada.insert(t, event("x", "2026-03-10", 9))
		ada.do(t, 204, "DELETE", "/calendars/primary/events/"+made["id"].(string), nil)
		if err := ada.h.World.Jobs.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		ada.h.Clock.Advance(40 * 24 * time.Hour)
		if err := ada.h.World.Jobs.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		ada.refused(t, 404, "notFound", "GET", "/calendars/primary/events/"+made["id"].(string), nil)
	})
}

// TestSyncAgreesWithTheList: a client that synchronizes has, after any changes and
// with pages of any size, exactly what a full list shows.
func TestSyncAgreesWithTheList(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		user := of(h, fmt.Sprint("user", n))
		mirror := map[string]string{}
		var sync string
		follow := func() {
			q := []string{"maxResults", fmt.Sprint(rapid.IntRange(1, 4).Draw(rt, "page"))}
			if sync != "" {
				q = append(q, "syncToken", sync)
			}
			var items []object
			items, sync = user.events(t, q...)
			for _, e := range items {
				id := e["id"].(string)
				if e["status"] == "cancelled" {
					delete(mirror, id)
				} else {
					mirror[id] = e["etag"].(string)
				}
			}
		}
		var ids []string
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			switch pick := rapid.IntRange(0, 3).Draw(rt, "step"); {
			case pick == 0 || len(ids) == 0:
				ids = append(ids, user.insert(t, event("x", "2026-03-10", 9))["id"].(string))
			case pick == 1:
				user.call("PATCH", "/calendars/primary/events/"+rapid.SampledFrom(ids).Draw(rt, "id"), object{
					"summary": fmt.Sprint(len(ids)),
				})
			case pick == 2:
				user.call("DELETE", "/calendars/primary/events/"+rapid.SampledFrom(ids).Draw(rt, "id"), nil)
			default:
				follow()
			}
		}
		follow()
		full, _ := user.events(t)
		if len(full) != len(mirror) {
			rt.Fatalf("%d events by sync, %d by list", len(mirror), len(full))
		}
		for _, e := range full {
			if mirror[e["id"].(string)] != e["etag"] {
				rt.Fatalf("event %v: etag %v by sync, %v by list", e["id"], mirror[e["id"].(string)], e["etag"])
			}
		}
	})
}

// TestSyncTellsWhatLeaves: a sync that began with a window reports an event that
// leaves it, and one of single events an event that becomes a series.
func TestSyncTellsWhatLeaves(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		made := ada.insert(t, event("x", "2026-03-10", 9))
		path := "/calendars/primary/events/" + made["id"].(string)
		window := []string{"timeMin", "2026-03-10T00:00:00Z", "timeMax", "2026-03-11T00:00:00Z"}
		_, rows := ada.events(t, window...)
		_, single := ada.events(t, append(window, "singleEvents", "true")...)
		ada.do(t, 200, "PATCH", path, object{"start": at("2026-04-10T09:00:00Z"), "end": at("2026-04-10T10:00:00Z")})
		told, _ := ada.events(t, "syncToken", rows)
		expect(t, "what left the window", texts(told, "id"), made["id"])
		told, single = ada.events(t, "syncToken", single, "singleEvents", "true")
		expect(t, "what left the window, single", texts(told, "id"), made["id"])

		ada.do(t, 200, "PATCH", path, object{"recurrence": []string{"RRULE:FREQ=DAILY;COUNT=2"}})
		ada.refused(t, 410, "fullSyncRequired", "GET", "/calendars/primary/events?singleEvents=true&syncToken="+single,
			nil)
	})
}

// TestSyncGoesOnWithItsOwnSeries: where a page stopped inside a series says nothing of the other series, when that
// one changes before the next page.
func TestSyncGoesOnWithItsOwnSeries(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		_, token := ada.events(t, "singleEvents", "true")
		daily := []string{"RRULE:FREQ=DAILY;COUNT=4"}
		first := ada.insert(t, event("late", "2026-05-10", 9, "recurrence", daily))
		ada.insert(t, event("early", "2026-03-10", 9, "recurrence", daily))
		q := params("singleEvents", "true", "syncToken", token, "maxResults", "2")
		page := ada.do(t, 200, "GET", "/calendars/primary/events?"+q.Encode(), nil)
		ada.do(t, 200, "PATCH", primary+first["id"].(string), object{"summary": "changed"})
		q.Set("pageToken", page["nextPageToken"].(string))
		rest, _ := ada.list(t, "/calendars/primary/events", q)
		expect(t, "what follows", texts(rest, "summary"),
			"early early early early changed changed changed changed")
	})
}
