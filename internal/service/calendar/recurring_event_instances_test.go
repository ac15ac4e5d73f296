package calendar_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestSeries(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		berlin := func(clock string) object { return object{"dateTime": clock, "timeZone": "Europe/Berlin"} }
		made := ada.insert(t, object{
			"summary": "Stand-up", "start": berlin("2026-03-28T09:00:00"), "end": berlin("2026-03-28T09:30:00"),
			"recurrence": []string{"RRULE:FREQ=DAILY;COUNT=4", "EXDATE;TZID=Europe/Berlin:20260330T090000"},
		})
		id := made["id"].(string)
		path := "/calendars/primary/events/" + id

		items, _ := ada.list(t, path+"/instances", params("timeZone", "Europe/Berlin", "maxResults", "2"))
		expect(t, "ids", texts(items, "id"), fmt.Sprintf(
			"%[1]s_20260328T080000Z %[1]s_20260329T070000Z %[1]s_20260331T070000Z", id,
		))
		expect(t, "start after the clock change", items[1]["start"], object{
			"dateTime": "2026-03-29T09:00:00+02:00", "timeZone": "Europe/Berlin",
		})
		expect(t, "series", items[0]["recurringEventId"], id)
		expect(t, "recurrence of an instance", items[0]["recurrence"], nil)

		// One instance moves, one is deleted, one stays.
		second, third := items[1]["id"].(string), items[2]["id"].(string)
		moved := ada.do(t, 200, "PATCH", "/calendars/primary/events/"+second, object{
			"summary": "Late stand-up", "start": object{"dateTime": "2026-03-29T11:00:00+02:00"},
			"end": object{"dateTime": "2026-03-29T12:00:00+02:00"},
		})
		expect(t, "original start", moved["originalStartTime"].(object)["dateTime"], "2026-03-29T07:00:00Z")
		ada.do(t, 204, "DELETE", "/calendars/primary/events/"+third, nil)
		ada.refused(t, 410, "deleted", "DELETE", "/calendars/primary/events/"+third, nil)

		single, _ := ada.events(t, "singleEvents", "true", "orderBy", "startTime", "maxResults", "1")
		expect(t, "single events", texts(single, "summary"), "Stand-up Late stand-up")
		expect(t, "start of the moved one", single[1]["start"].(object)["dateTime"], "2026-03-29T09:00:00Z")
		rows, _ := ada.events(t)
		expect(t, "rows", len(rows), 3)
		expect(t, "the deleted instance is part of the series", texts(rows, "status"), "confirmed confirmed cancelled")

		ada.refused(t, 404, "notFound", "GET", "/calendars/primary/events/"+id+"_20260330T070000Z", nil)
		ada.refused(t, 404, "notFound", "GET", "/calendars/primary/events/"+id+"_20260328T080001Z", nil)
		ada.do(t, 204, "DELETE", path, nil)
		single, _ = ada.events(t, "singleEvents", "true")
		expect(t, "after the series is gone", len(single), 0)
	})
}

func TestWholeDaysAndWindows(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		ada.do(t, 200, "PATCH", "/calendars/primary", object{"timeZone": "America/New_York"})
		day := func(d string) object { return object{"date": d} }
		ada.insert(t, object{
			"summary": "holiday", "start": day("2026-03-10"), "end": day("2026-03-12"),
			"recurrence": []string{"RRULE:FREQ=YEARLY"},
		})
		ada.insert(t, event("lunch", "2026-03-10", 12))
		for _, row := range []struct{ from, to, want string }{
			{"2026-03-10T03:59:59Z", "2026-03-10T04:00:00Z", ""},        // a day begins at midnight in New York
			{"2026-03-10T04:00:00Z", "2026-03-10T04:00:01Z", "holiday"}, // in summer time
			{"2026-03-12T03:59:59Z", "2026-03-12T04:00:01Z", "holiday"}, // the end is exclusive
			{"2026-03-12T04:00:00Z", "2026-03-13T00:00:00Z", ""},
			{"2027-03-10T05:00:00Z", "2027-03-10T06:00:00Z", "holiday"},
			{"2026-03-10T13:00:00Z", "2026-03-10T14:00:00Z", "holiday"}, // lunch has ended
			{"2026-03-10T12:59:59Z", "2026-03-10T14:00:00Z", "holiday lunch"},
		} {
			items, _ := ada.events(t, "singleEvents", "true", "orderBy", "startTime", "timeMin", row.from, "timeMax",
				row.to)
			expect(t, row.from+" to "+row.to, texts(items, "summary"), row.want)
		}
		items, _ := ada.events(t, "singleEvents", "true", "timeMin", "2026-03-01T00:00:00Z")
		expect(t, "an endless series ends after two years", texts(items, "summary"), "holiday lunch holiday")
		instances, _ := ada.events(t, "singleEvents", "true", "timeMin", "2027-01-01T00:00:00Z", "timeMax",
			"2028-01-01T00:00:00Z")
		if id := instances[0]["id"].(string); !strings.HasSuffix(id, "_20270310") {
			t.Errorf("id of a day's instance: %s", id)
		}
	})
}

// TestPagesOfInstances: pages of every size give the same list.
func TestPagesOfInstances(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		for i := range 3 {
			ada.insert(t, event(fmt.Sprint("s", i), "2026-03-10", 9+i/2, "recurrence", []string{
				"RRULE:FREQ=DAILY;COUNT=7",
			}))
			ada.insert(t, event(fmt.Sprint("e", i), fmt.Sprintf("2026-03-1%d", i), 9))
		}
		all, sync := ada.events(t, "singleEvents", "true")
		expect(t, "how many", len(all), 24)
		for _, size := range []string{"1", "2", "5", "23", "24"} {
			items, _ := ada.events(t, "singleEvents", "true", "maxResults", size)
			expect(t, "pages of "+size, texts(items, "id"), texts(all, "id"))
		}
		items, _ := ada.events(t, "singleEvents", "true", "syncToken", sync)
		expect(t, "nothing changed", len(items), 0)
		ada.insert(t, event("s9", "2026-03-10", 9, "recurrence", []string{"RRULE:FREQ=DAILY;COUNT=7"}))
		items, _ = ada.events(t, "singleEvents", "true", "syncToken", sync, "maxResults", "3")
		expect(t, "instances of a new series", len(items), 7)
	})
}

// TestFarSeries: a series that ends is listed whole, however far away it is.
func TestFarSeries(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		far := ada.insert(t, event("far", "2040-03-10", 9, "recurrence", []string{"RRULE:FREQ=DAILY;COUNT=3"}))
		items, _ := ada.list(t, "/calendars/primary/events/"+far["id"].(string)+"/instances", params())
		expect(t, "instances", len(items), 3)
		items, _ = ada.events(t, "singleEvents", "true")
		expect(t, "single events", len(items), 3)
		ada.insert(t, event("endless", "2041-03-10", 9, "recurrence", []string{"RRULE:FREQ=YEARLY"}))
		items, _ = ada.events(t, "singleEvents", "true", "timeMin", "2041-01-01T00:00:00Z")
		expect(t, "an endless series in the future", len(items), 2)
	})
}

func TestFilters(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		ada.insert(t, event("Plan the Festival", "2026-03-10", 9, "location", "Agora", "extendedProperties",
			object{"private": object{"k": "1"}, "shared": object{"s": "2"}}))
		ada.insert(t, event("Away", "2026-03-11", 9, "eventType", "outOfOffice"))
		ada.do(t, 200, "POST", "/calendars/primary/events/import", event("Import", "2026-03-12", 9, "iCalUID",
			"uid-1@example.com"))
		for query, want := range map[[2]string]string{
			{"q", "festival agora"}: "Plan the Festival", {"q", "nothing"}: "",
			{"privateExtendedProperty", "k=1"}: "Plan the Festival",
			{"sharedExtendedProperty", "s=1"}:  "", {"eventTypes", "outOfOffice"}: "Away",
			{"iCalUID", "uid-1@example.com"}: "Import",
		} {
			items, _ := ada.events(t, query[0], query[1])
			expect(t, query[0]+"="+query[1], texts(items, "summary"), want)
		}
	})
}

// TestPagesWhileInstancesGo: an instance that is deleted between two pages takes
// no other with it.
func TestPagesWhileInstancesGo(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		id := ada.insert(t, event("s", "2026-03-10", 9, "recurrence", []string{
			"RRULE:FREQ=DAILY;COUNT=4",
		}))["id"].(string)
		path := "/calendars/primary/events/" + id + "/instances?maxResults=2"
		first := ada.do(t, 200, "GET", path, nil)
		ada.do(t, 204, "DELETE", "/calendars/primary/events/"+id+"_20260310T090000Z", nil)
		rest, _ := ada.list(t, "/calendars/primary/events/"+id+"/instances", params("maxResults", "2", "pageToken",
			first["nextPageToken"].(string)))
		expect(t, "the second page", texts(rest, "id"), id+"_20260312T090000Z "+id+"_20260313T090000Z")
	})
}

// TestPagesOfCrowdedSeries: pages lose nothing where instances are many and
// close, and where time begins.
func TestPagesOfCrowdedSeries(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		crowded := event("s", "2026-03-10", 9, "recurrence", []string{
			"RRULE:FREQ=DAILY;COUNT=72;BYMINUTE=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23",
		})
		id := ada.insert(t, crowded)["id"].(string)
		for _, size := range []string{"5", "250"} {
			items, _ := ada.events(t, "singleEvents", "true", "maxResults", size)
			expect(t, "single events in pages of "+size, len(items), 72)
			items, _ = ada.list(t, "/calendars/primary/events/"+id+"/instances", params("maxResults", size))
			expect(t, "instances in pages of "+size, len(items), 72)
		}
		ada.do(t, 204, "POST", "/calendars/primary/clear", nil)
		for _, day := range []string{"1969-12-31", "1970-01-01", "1970-01-02"} {
			ada.insert(t, event(day, day, 0))
		}
		items, _ := ada.events(t, "singleEvents", "true", "maxResults", "1")
		expect(t, "around the beginning of time", texts(items, "summary"), "1969-12-31 1970-01-01 1970-01-02")
		items, _ = ada.events(t, "singleEvents", "true", "timeMin", "1970-01-01T00:00:00Z", "timeMax",
			"9999-12-31T23:59:59-12:00")
		expect(t, "from the beginning of time", texts(items, "summary"), "1969-12-31 1970-01-01 1970-01-02"[11:])
	})
}

// TestDaysFollowTheZone: a whole day begins where its calendar is, also after the calendar's zone has changed and on
// the calendar that the event was moved to.
func TestDaysFollowTheZone(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		there := ada.do(t, 200, "POST", "/calendars", object{"summary": "West"})["id"].(string)
		here := ada.do(t, 200, "POST", "/calendars", object{"summary": "UTC"})["id"].(string)
		day := object{"summary": "day", "start": object{"date": "2026-01-10"}, "end": object{"date": "2026-01-11"}}
		many := object{"summary": "days", "start": object{"date": "2026-01-10"}, "end": object{"date": "2026-01-11"},
			"recurrence": []string{"RRULE:FREQ=WEEKLY;COUNT=2"}}
		for _, e := range []object{day, many} {
			ada.do(t, 200, "POST", "/calendars/"+there+"/events", e)
		}
		series := ada.do(t, 200, "POST", "/calendars/"+here+"/events", many)["id"].(string)
		ada.do(t, 200, "PATCH", "/calendars/"+here+"/events/"+series+"_20260110", object{"summary": "differs"})
		ada.do(t, 200, "PATCH", "/calendars/"+there, object{"timeZone": "America/Los_Angeles"})
		ada.do(t, 200, "POST", "/calendars/"+here+"/events/"+series+"/move?destination="+there, nil)
		// In Los Angeles the tenth lasts until 08:00 of the eleventh in UTC.
		window := params("timeMin", "2026-01-11T05:00:00Z", "timeMax", "2026-01-11T07:00:00Z", "singleEvents", "true")
		items, _ := ada.list(t, "/calendars/"+there+"/events", window)
		expect(t, "days of the new zone", len(items), 3)
		busy := ada.do(t, 200, "POST", "/freeBusy", object{
			"timeMin": "2026-01-10T00:00:00Z", "timeMax": "2026-01-12T00:00:00Z", "items": []object{{"id": there}},
		})
		expect(t, "busy", busy["calendars"].(object)[there].(object)["busy"],
			"[map[end:2026-01-11T08:00:00Z start:2026-01-10T08:00:00Z]]")
	})
}

// TestRepeatedFilters: several constraints on one property must all be met, and a type of events is one of the
// contract's.
func TestRepeatedFilters(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		ada.insert(t, event("x", "2026-03-10", 9, "extendedProperties", object{"private": object{"a": "2"}}))
		items, _ := ada.events(t, "privateExtendedProperty", "a=1", "privateExtendedProperty", "a=2")
		expect(t, "both at once", len(items), 0)
		items, _ = ada.events(t, "privateExtendedProperty", "a=2", "privateExtendedProperty", "a=2")
		expect(t, "the same twice", len(items), 1)
		items, _ = ada.events(t, "eventTypes", "default", "eventTypes", "fromGmail")
		expect(t, "known types", len(items), 1)
		ada.refused(t, 400, "invalid", "GET", "/calendars/primary/events?eventTypes=meeting", nil)
	})
}
