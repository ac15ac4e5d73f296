package removal_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/identity/removal"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/ownership"
	"stoa.dev/stoa/internal/platform/world"
)

// things is a service with things of users, organizations and teams, and a history.
func things(*world.World, *identity.Identity) module.Module {
	return module.Module{Name: "labels", Scopes: []module.Scope{{Name: "storage.labels", Based: true}}}
}

type fixture struct {
	*identitytest.Server
	remover *removal.Remover
}

// onBoth runs fn with tables of their own on each database.
func onBoth(t *testing.T, fn func(t *testing.T, h fixture)) {
	t.Helper()
	identitytest.Run(t, things, func(t *testing.T, s *identitytest.Server) {
		for _, text := range []string{
			`CREATE TABLE things_owned (kind TEXT, owner_id BIGINT)`, `CREATE TABLE things_history (name TEXT)`,
			`CREATE TABLE things_settings (kind TEXT, owner_id BIGINT)`,
		} {
			if _, err := s.World.DB.Exec(t.Context(), text); err != nil {
				t.Fatal(err)
			}
		}
		var rows []ownership.Rows
		for _, kind := range []ownership.Kind{ownership.User, ownership.Org, ownership.Team} {
			where := `WHERE kind = '` + string(kind) + `' AND owner_id = $1`
			rows = append(rows,
				ownership.Rows{Of: kind, Effect: ownership.Blocks, What: "things", SQL: `SELECT COUNT(*) FROM things_owned ` + where},
				ownership.Rows{Of: kind, Effect: ownership.Deleted, SQL: `DELETE FROM things_settings ` + where},
				ownership.Rows{
					Of: kind, Effect: ownership.Mentions, What: "notes", SQL: `SELECT COUNT(*) FROM things_history WHERE name = $1`,
					Key: func(o ownership.Owner) any { return o.Name },
				})
		}
		fn(t, fixture{s, removal.New(s.Identity, s.World.DB, rows)})
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (h fixture) exec(t testing.TB, text string, args ...any) {
	t.Helper()
	_, err := h.World.DB.Exec(t.Context(), text, args...)
	must(t, err)
}

func (h fixture) count(t testing.TB, text string) (n int64) {
	t.Helper()
	must(t, h.World.DB.QueryRow(t.Context(), text).Scan(&n))
	return n
}

// verify says what is wrong with a secret.
func (h fixture) verify(secret string) error {
	kinds := append(identity.TokenKinds(), identity.KindAPI, identity.KindApplication)
	_, err := h.Identity.Verify(context.Background(), secret, identity.Requirement{Service: "labels", Kinds: kinds})
	return err
}

func TestAUserIsRemoved(t *testing.T) {
	t.Parallel()
	for _, mentioned := range []bool{false, true} {
		onBoth(t, func(t *testing.T, h fixture) {
			ctx := t.Context()
			ada := h.User("ada")
			org, err := h.Identity.AddOrg(ctx, "acme", false)
			must(t, err)
			must(t, h.Identity.SetOrgMember(ctx, org.ID, ada.ID, identity.OrgMember))
			token, key := h.Token("ada"), h.Key("ada", identity.KindAPI, 3)
			_, session, err := h.Identity.StartSession(ctx, identity.SessionRequest{UserID: ada.ID, TTL: time.Hour})
			must(t, err)
			must(t, errors.Join(h.verify(token), h.verify(key)))
			h.exec(t, `INSERT INTO things_settings VALUES ('user', $1)`, ada.ID)

			h.exec(t, `INSERT INTO things_owned VALUES ('user', $1)`, ada.ID)
			_, err = h.remover.User(ctx, ada)
			var owns *removal.OwnsError
			if !errors.As(err, &owns) || !strings.Contains(err.Error(), `the user "ada" still has things (1)`) {
				t.Fatalf("removing a user with things: %v", err)
			}
			must(t, errors.Join(h.verify(token), h.verify(key)))
			h.exec(t, `DELETE FROM things_owned`)
			if mentioned {
				h.exec(t, `INSERT INTO things_history VALUES ('ada')`)
			}

			done, err := h.remover.User(ctx, ada)
			must(t, err)
			if done.NameKept != mentioned {
				t.Errorf("the name is kept: %t, want %t", done.NameKept, mentioned)
			}
			for _, secret := range []string{token, key} {
				if err := h.verify(secret); !errors.Is(err, identity.ErrUnknown) {
					t.Errorf("a credential of the removed user: %v, want ErrUnknown", err)
				}
			}
			if _, _, err := h.Identity.SessionBySecret(ctx, session); !errors.Is(err, identity.ErrUnknown) {
				t.Errorf("the session: %v, want ErrUnknown", err)
			}
			for _, table := range []string{
				"identity_credentials", "identity_sessions", "identity_org_members", "things_settings",
			} {
				if n := h.count(t, `SELECT COUNT(*) FROM `+table); n != 0 {
					t.Errorf("%d rows of %s are left", n, table)
				}
			}
			checkGone(t, h, ada, mentioned)
		})
	}
}

// checkGone: the removed user is not found by name, and the name is free unless it is mentioned.
func checkGone(t *testing.T, h fixture, u identity.User, mentioned bool) {
	t.Helper()
	ctx := t.Context()
	if _, err := h.Identity.UserByName(ctx, u.Name); !errors.Is(err, identity.ErrNotFound) {
		t.Errorf("by name: %v, want ErrNotFound", err)
	}
	if list, err := h.Identity.Users(ctx, 0, 0); err != nil || len(list) != 0 {
		t.Errorf("users = %v, %v; want none", list, err)
	}
	if n, err := h.Identity.CountUsers(ctx); err != nil || n != 0 {
		t.Errorf("%d users, %v; want none", n, err)
	}
	left, err := h.Identity.User(ctx, u.ID)
	if mentioned != (err == nil) {
		t.Errorf("by id: %+v, %v", left, err)
	}
	if mentioned && (left.Name != u.Name || left.Email != "" || left.DisplayName != "" || !left.Disabled) {
		t.Errorf("left of the user: %+v, want the name alone", left)
	}
	if _, err := h.remover.User(ctx, u); !errors.Is(err, identity.ErrNotFound) {
		t.Errorf("removing again: %v, want ErrNotFound", err)
	}
	again, err := h.Identity.AddUser(ctx, identity.NewUser{Name: u.Name})
	if errors.Is(err, identity.ErrTaken) != mentioned || err == nil && again.ID == u.ID {
		t.Errorf("the name again: %+v, %v", again, err)
	}
}

// TestTheLastAdministratorStays, also where two are removed at the same time.
func TestTheLastAdministratorStays(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h fixture) {
		ctx := t.Context()
		yes := true
		var admins []identity.User
		for _, name := range []string{"ada", "bob"} {
			u, err := h.Identity.UpdateUser(ctx, h.User(name).ID, identity.UserChange{Admin: &yes})
			must(t, err)
			admins = append(admins, u)
		}
		off, err := h.Identity.UpdateUser(ctx, h.User("off").ID, identity.UserChange{Admin: &yes, Disabled: &yes})
		must(t, err)
		failed := make([]error, len(admins))
		var done sync.WaitGroup
		for n, u := range admins {
			done.Go(func() { _, failed[n] = h.remover.User(ctx, u) })
		}
		done.Wait()
		if (failed[0] == nil) == (failed[1] == nil) || !errors.Is(errors.Join(failed...), identity.ErrLastAdmin) {
			t.Errorf("removing both administrators at once: %v, want one refused", failed)
		}
		_, err = h.remover.User(ctx, off)
		must(t, err)
	})
}

func TestOrganizationsAndTeamsAreRemoved(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h fixture) {
		ctx := t.Context()
		ada := h.User("ada")
		org, err := h.Identity.AddOrg(ctx, "acme", false)
		must(t, err)
		client, _, err := h.Identity.AddClient(ctx, identity.NewClient{Name: "x", Type: identity.ClientApp, OrgID: org.ID})
		must(t, err)
		var owns *removal.OwnsError
		if _, err := h.remover.Org(ctx, org); !errors.As(err, &owns) || owns.Held[0].What != "applications" {
			t.Errorf("an organization with an application: %v", err)
		}
		must(t, h.Identity.DeleteClient(ctx, client.ID))
		done, err := h.remover.Org(ctx, org)
		must(t, err)
		if _, err := h.Identity.AddOrg(ctx, "acme", false); done.NameKept || err != nil {
			t.Errorf("the name again: %v", err)
		}
		if _, err := h.remover.Org(ctx, org); !errors.Is(err, identity.ErrNotFound) {
			t.Errorf("removing it again: %v", err)
		}
		h.exec(t, `INSERT INTO things_history VALUES ('Beta')`)
		beta, err := h.Identity.AddOrg(ctx, "Beta", false)
		must(t, err)
		_, err = h.remover.Org(ctx, beta)
		must(t, err)
		if _, err := h.Identity.AddUser(ctx, identity.NewUser{Name: "beta"}); !errors.Is(err, identity.ErrTaken) {
			t.Errorf("a user with the name of an organization in the history: %v", err)
		}

		team, err := h.Identity.AddTeam(ctx, identity.NewTeam{Name: "crew", OwnerID: ada.ID})
		must(t, err)
		if _, err := h.remover.User(ctx, ada); !errors.As(err, &owns) || owns.Held[0].What != "teams without another owner" {
			t.Errorf("the only owner of a team: %v", err)
		}
		token := h.Issue(identity.IssueOptions{
			Kind: identity.KindPersonal, Services: []string{"labels"}, UserID: ada.ID, TeamID: team.ID,
		})
		must(t, h.verify(token))
		h.exec(t, `INSERT INTO things_owned VALUES ('team', $1)`, team.ID)
		if err := h.remover.Team(ctx, team); !errors.As(err, &owns) {
			t.Errorf("a team with things: %v", err)
		}
		h.exec(t, `DELETE FROM things_owned`)
		must(t, h.remover.Team(ctx, team))
		if err := h.verify(token); !errors.Is(err, identity.ErrUnknown) {
			t.Errorf("a token for the team: %v, want ErrUnknown", err)
		}
		_, err = h.remover.User(ctx, ada)
		must(t, err)
	})
}
