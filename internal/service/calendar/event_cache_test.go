package calendar_test

import (
	"testing"
	"time"
)

// TestKeptListsFollowEveryChange makes each kind of change that shows in a list
// and reads the list, which was kept before, again.
func TestKeptListsFollowEveryChange(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		made := ada.insert(t, event("one", "2026-03-10", 9))
		path := "/calendars/primary/events/" + made["id"].(string)
		read := func(query string) string {
			return ada.call("GET", "/calendars/primary/events"+query, nil).Body.String()
		}
		for _, change := range []struct {
			name string
			do   func()
		}{
			{"insert", func() { ada.insert(t, event("two", "2026-03-11", 9)) }},
			{"patch", func() { ada.do(t, 200, "PATCH", path, object{"summary": "changed"}) }},
			{
				"title of the calendar",
				func() { ada.do(t, 200, "PATCH", "/calendars/primary", object{"summary": "Mine"}) },
			},
			{"reminders of the reader", func() {
				ada.do(t, 200, "PATCH", "/users/me/calendarList/primary", object{
					"defaultReminders": []object{{"method": "email", "minutes": 5}},
				})
			}},
			{"delete", func() { ada.do(t, 204, "DELETE", path, nil) }},
			{"clear", func() { ada.do(t, 204, "POST", "/calendars/primary/clear", nil) }},
		} {
			before, masked := read(""), read("?fields=etag,summary,defaultReminders,items(id,summary)")
			expect(t, change.name+": read again", read(""), before)
			change.do()
			if read("") == before || read("?fields=etag,summary,defaultReminders,items(id,summary)") == masked {
				t.Errorf("%s: the answer is still %s", change.name, before)
			}
		}
	})
}

// TestKeptListsAreTheirReaders checks that a list is kept for one reader and one
// role, and that its sync token stays young.
func TestKeptListsAreTheirReaders(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		bob := of(ada.h, "bob")
		bob.do(t, 200, "GET", "/calendars/primary", nil)
		ada.insert(t, event("secret", "2026-03-10", 9, "visibility", "private"))
		path := "/calendars/" + ada.address + "/events"
		bob.refused(t, 404, "notFound", "GET", path, nil)
		expect(t, "ada sees", ada.do(t, 200, "GET", path, nil)["items"].([]any)[0].(object)["summary"], "secret")
		ada.do(t, 200, "POST", "/calendars/primary/acl", object{
			"role": "reader", "scope": object{"type": "user", "value": bob.address},
		})
		for range 2 {
			expect(t, "bob sees", bob.do(t, 200, "GET", path, nil)["items"].([]any)[0].(object)["summary"], nil)
		}

		first := ada.do(t, 200, "GET", path, nil)["nextSyncToken"].(string)
		ada.h.Clock.Advance(29 * 24 * time.Hour)
		later := ada.do(t, 200, "GET", path, nil)["nextSyncToken"].(string)
		ada.h.Clock.Advance(2 * 24 * time.Hour)
		ada.refused(t, 410, "fullSyncRequired", "GET", path+"?syncToken="+first, nil)
		ada.do(t, 200, "GET", path+"?syncToken="+later, nil)
	})
}
