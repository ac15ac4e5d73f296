package calendar_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity"
)

// TestFreeBusyOfManyGroups: one question looks up so many groups at most, also where one team is named again and again
// in other letters, each time with all its members.
func TestFreeBusyOfManyGroups(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		if _, err := ada.h.Identity.AddTeam(t.Context(), identity.NewTeam{
			Name: "lyceum", OwnerID: ada.h.User("ada").ID,
		}); err != nil {
			t.Fatal(err)
		}
		var items []object
		for n := range 60 {
			name := []byte("lyceum")
			for bit := range name {
				if n>>bit&1 == 1 {
					name[bit] = strings.ToUpper(string(name[bit]))[0]
				}
			}
			items = append(items, object{"id": string(name) + "@groups.localhost"})
		}
		out := ada.do(t, 200, "POST", "/freeBusy", object{
			"timeMin": "2026-03-10T00:00:00Z", "timeMax": "2026-03-11T00:00:00Z", "items": items,
		})
		found, refused := 0, 0
		for id, group := range out["groups"].(object) {
			switch g := group.(object); {
			case len(list(g, "calendars")) == 1:
				found++
			case len(list(g, "errors")) == 1 && reasonOf(g) == "tooManyCalendarsRequested":
				refused++
			default:
				t.Errorf("group %s: %v", id, g)
			}
		}
		if found != 50 || refused != 10 {
			t.Errorf("%d groups are answered and %d refused, want 50 and 10", found, refused)
		}
	})
}

func list(o object, name string) []any {
	all, _ := o[name].([]any)
	return all
}

func reasonOf(group object) any { return list(group, "errors")[0].(object)["reason"] }
