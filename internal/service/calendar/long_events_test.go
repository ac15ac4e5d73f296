package calendar_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// long are members of an event that take about as many kilobytes.
func long(kilobytes int) []any {
	properties := map[string]string{}
	for i := range kilobytes {
		properties[fmt.Sprint("p", i)] = strings.Repeat("x", 1000)
	}
	return []any{"extendedProperties", object{"private": properties}}
}

// maxAnswer is more than a page of events has, with the answer around it.
const maxAnswer = 9 << 20

// TestPagesOfLongEvents: a page ends where its events are long, whatever size was asked for: one event of a series
// that is long itself would be an answer of hundreds of megabytes.
func TestPagesOfLongEvents(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		daily := []string{"RRULE:FREQ=DAILY;COUNT=150"}
		series := ada.insert(t, event("series", "2026-03-10", 9, append(long(100), "recurrence", daily)...))
		for day := 10; day < 30; day += 2 {
			ada.insert(t, event(fmt.Sprint("plain ", day), fmt.Sprintf("2026-03-%d", day), 11, long(100)...))
		}
		ada.insert(t, event("short", "2026-04-01", 11))
		for name, row := range map[string]struct {
			path string
			want int
		}{
			"single events": {"/calendars/primary/events?maxResults=2500&singleEvents=true", 161},
			"instances":     {"/calendars/primary/events/" + fmt.Sprint(series["id"]) + "/instances?maxResults=2500", 150},
			"by change":     {"/calendars/primary/events?maxResults=2500", 12},
		} {
			var starts, ids []string
			for page := ""; ; {
				w := ada.call("GET", row.path+page, nil)
				if w.Code != 200 || w.Body.Len() > maxAnswer {
					t.Fatalf("%s: %d with %d kB", name, w.Code, w.Body.Len()>>10)
				}
				out := ada.do(t, 200, "GET", row.path+page, nil)
				for _, one := range out["items"].([]any) {
					starts = append(starts, fmt.Sprint(one.(object)["start"].(object)["dateTime"]))
					ids = append(ids, fmt.Sprint(one.(object)["id"]))
				}
				if out["nextPageToken"] == nil {
					break
				}
				page = "&pageToken=" + fmt.Sprint(out["nextPageToken"])
			}
			if !slices.IsSorted(starts) && name != "by change" {
				t.Errorf("%s: not in the order of their starts", name)
			}
			slices.Sort(ids)
			if got := len(slices.Compact(ids)); got != row.want || len(starts) != row.want {
				t.Errorf("%s: %d events, %d of them different; want %d", name, len(starts), got, row.want)
			}
		}
		busy := ada.do(t, 200, "POST", "/freeBusy", object{
			"timeMin": "2026-03-01T00:00:00Z", "timeMax": "2026-09-01T00:00:00Z", "items": []object{{"id": ada.address}},
		})
		periods := busy["calendars"].(object)[ada.address].(object)["busy"].([]any)
		if len(periods) != 161 {
			t.Errorf("%d busy periods, want 161", len(periods))
		}
	})
}

// TestLongestEvent: an event has a size, whichever of its members takes it.
func TestLongestEvent(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		made := ada.insert(t, event("long", "2026-03-10", 9, long(120)...))
		ada.refused(t, 400, "invalid", "POST", "/calendars/primary/events", event("longer", "2026-03-10", 9, long(140)...))
		files := []object{{"fileUrl": "https://files.example/" + strings.Repeat("x", 200_000)}}
		ada.refused(t, 400, "invalid", "PATCH", "/calendars/primary/events/"+fmt.Sprint(made["id"]),
			object{"attachments": files})
	})
}
