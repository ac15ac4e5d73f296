package calendar_test

import (
	"math"
	"testing"
)

// TestKeptObjects: an object that is kept as its writer sent it has the types that its readers decode. One that has
// not would keep every guest from reading the list that it is on.
func TestKeptObjects(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		for member, values := range map[string][2]any{
			"gadget":                    {object{"type": "x", "width": 3}, object{"width": "wide"}},
			"birthdayProperties":        {object{"type": "birthday"}, 5},
			"focusTimeProperties":       {object{"chatStatus": "available"}, object{"chatStatus": true}},
			"outOfOfficeProperties":     {object{"declineMessage": "away"}, []string{"away"}},
			"workingLocationProperties": {object{"homeOffice": object{}}, object{"officeLocation": "here"}},
			"conferenceData":            {object{"notes": "n", "parameters": object{}}, object{"notes": 5}},
		} {
			made := ada.insert(t, event("x", "2026-03-10", 9, member, values[0]))
			expect(t, member, made[member], values[0])
			ada.refused(t, 400, "invalid", "POST", "/calendars/primary/events",
				event("x", "2026-03-10", 9, member, values[1]))
			ada.refused(t, 400, "invalid", "PATCH", "/calendars/primary/events/"+made["id"].(string),
				object{member: values[1]})
		}
		label := func(name string) object {
			return object{"eventLabels": []any{object{"id": "1", "name": name, "backgroundColor": "#123456"}}}
		}
		made := ada.do(t, 200, "PATCH", "/calendars/primary", object{"labelProperties": label("work")})
		expect(t, "labels", made["labelProperties"], label("work"))
		for _, bad := range []any{5, object{"eventLabels": "x"}, object{"eventLabels": make([]object, 201)},
			label("a name of more than fifty characters is not a label")} {
			ada.refused(t, 400, "invalid", "PATCH", "/calendars/primary", object{"labelProperties": bad})
		}
	})
}

// TestNumbersOfAnEvent: numbers that would not survive being counted on are refused.
func TestNumbersOfAnEvent(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		for _, n := range []int64{-1, math.MaxInt32 + 1, math.MaxInt64} {
			ada.refused(t, 400, "invalid", "POST", "/calendars/primary/events/import",
				event("x", "2026-03-10", 9, "iCalUID", "u@x", "sequence", n))
			ada.refused(t, 400, "invalid", "POST", "/calendars/primary/events", event("x", "2026-03-10", 9,
				"attendees", []object{{"email": "g@x", "additionalGuests": n}}))
		}
	})
}
