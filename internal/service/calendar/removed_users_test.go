package calendar_test

import (
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/removal"
)

// TestRulesOfRemovedUsers: who gets the name of a user or a team that was removed gets none of its rights.
func TestRulesOfRemovedUsers(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		remover := removal.New(ada.h.Identity, ada.h.World.DB, ada.h.Module.Owned)
		newTeam := func() identity.Team {
			t.Helper()
			team, err := ada.h.Identity.AddTeam(t.Context(), identity.NewTeam{
				Name: "lyceum", OwnerID: ada.h.User("edsger").ID,
			})
			if err != nil {
				t.Fatal(err)
			}
			return team
		}
		team, path := newTeam(), "/calendars/"+ada.address
		of(ada.h, "grace").do(t, 200, "GET", "/calendars/primary", nil) // she has an address here
		for _, row := range []struct {
			user  string
			scope object
			end   func() error
		}{
			{"grace", object{"type": "user", "value": "grace@localhost"}, func() error {
				_, err := remover.User(t.Context(), ada.h.User("grace"))
				return err
			}},
			{"edsger", object{"type": "group", "value": "lyceum@groups.localhost"}, func() error {
				err := remover.Team(t.Context(), team)
				newTeam()
				return err
			}},
		} {
			ada.do(t, 200, "POST", "/calendars/primary/acl", object{"role": "reader", "scope": row.scope})
			of(ada.h, row.user).do(t, 200, "GET", path, nil)
			if err := row.end(); err != nil {
				t.Fatal(err)
			}
			of(ada.h, row.user).do(t, 404, "GET", path, nil)
		}
	})
}
