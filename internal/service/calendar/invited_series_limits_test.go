package calendar_test

import (
	"fmt"
	"testing"
)

// TestSeriesOfOthers: what others invite a user to does not use up the steps in which the
// user's own calendar is expanded.
func TestSeriesOfOthers(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		grace, edsger := of(ada.h, "grace"), of(ada.h, "edsger")
		grace.insert(t, event("own", "2026-03-10", 9, "recurrence", []string{"RRULE:FREQ=DAILY"}))
		invite := func(n int, rule string) {
			for i := range n {
				ada.insert(t, event(fmt.Sprint("x", i), "2026-03-10", 9, "recurrence", []string{"RRULE:" + rule},
					"attendees", guests(grace.address)))
			}
			ada.settle(t)
		}
		month := object{
			"timeMin": "2026-04-01T00:00:00Z", "timeMax": "2026-05-01T00:00:00Z",
			"items": []object{{"id": grace.address}, {"id": edsger.address}},
		}
		for _, row := range []struct {
			n, want int
			rule    string
		}{
			{300, 0, "FREQ=HOURLY"}, {5, 0, "FREQ=HOURLY;BYDAY=MO;BYHOUR=9"},
			{5, 0, "FREQ=YEARLY;INTERVAL=2;BYMONTH=3;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=" +
				"0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23"},
			{3, 3, "FREQ=DAILY;BYHOUR=9,15"}, {3, 6, "FREQ=WEEKLY;COUNT=30"}, {60, 50, "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"},
		} {
			invite(row.n, row.rule)
			items, _ := grace.events(t, "maxResults", "2500")
			expect(t, "series on the calendar after "+row.rule, len(items)-1, row.want)
			busy := grace.do(t, 200, "POST", "/freeBusy", month)
			if len(busy["calendars"].(object)[grace.address].(object)["busy"].([]any)) < 30 {
				t.Errorf("after %s: %v", row.rule, busy)
			}
			items, _ = grace.events(t, "singleEvents", "true", "timeMin", "2026-04-01T00:00:00Z", "maxResults", "2500")
			if len(items) == 0 {
				t.Errorf("after %s: no instances", row.rule)
			}
		}
	})
}

// TestBusyCalendarsApart: a calendar that takes more steps than its part of a question has no
// answer, and the others have theirs.
func TestBusyCalendarsApart(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		grace := of(ada.h, "grace")
		grace.insert(t, event("own", "2026-03-10", 9, "recurrence", []string{"RRULE:FREQ=DAILY"}))
		for i := range 300 {
			ada.insert(t, event(fmt.Sprint("x", i), "2026-03-10", 9, "recurrence", []string{"RRULE:FREQ=HOURLY"}))
		}
		ada.do(t, 200, "POST", "/calendars/primary/acl", object{"role": "freeBusyReader", "scope": object{"type": "default"}})
		ask := func(status int, addresses ...string) object {
			items := []object{}
			for _, a := range addresses {
				items = append(items, object{"id": a})
			}
			return grace.do(t, status, "POST", "/freeBusy", object{
				"timeMin": "2026-04-01T00:00:00Z", "timeMax": "2026-05-01T00:00:00Z", "items": items,
			})
		}
		for _, order := range [][]string{{ada.address, grace.address}, {grace.address, ada.address}} {
			all := ask(200, order...)["calendars"].(object)
			if n := len(all[grace.address].(object)["busy"].([]any)); n != 30 {
				t.Errorf("%v: %d periods of grace, want 30", order, n)
			}
			problems, _ := all[ada.address].(object)["errors"].([]any)
			if len(problems) != 1 || problems[0].(object)["reason"] != "quotaExceeded" {
				t.Errorf("%v: ada's %v, want quotaExceeded", order, all[ada.address])
			}
		}
		ask(403, ada.address)
	})
}
