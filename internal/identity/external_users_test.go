package identity_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/oidc"
	"stoa.dev/stoa/internal/platform/clock"
)

func account(subject, name string, m ...oidc.Membership) oidc.Account {
	return oidc.Account{
		Issuer: "https://dir.test", Subject: subject, UserName: name, Name: "Name of " + name, Email: name + "@dir.test",
		Memberships: m,
	}
}

func TestExternalUsers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		local := h.user("ada")
		first, _, err := h.SignInExternal(ctx, account("s1", "ada"))
		must(t, err)
		if first.ID == local.ID || first.Name != "ada-2" || first.Email != "ada@dir.test" {
			t.Errorf("first sign-in = %+v, want another user than ada", first)
		}
		changed := account("s1", "countess")
		again, _, err := h.SignInExternal(ctx, changed)
		must(t, err)
		if again.ID != first.ID || again.Name != "ada-2" || again.DisplayName != "Name of countess" {
			t.Errorf("second sign-in = %+v, want the same user with the new display name", again)
		}
		for subject, want := range map[string]string{"ü": "user", "x.y z": "x-y-z", "0-": "0", "a@b": "a"} {
			u, _, err := h.SignInExternal(ctx, oidc.Account{Issuer: "i", Subject: subject})
			must(t, err)
			if u.Name != want {
				t.Errorf("name of %q = %q, want %q", subject, u.Name, want)
			}
		}

		must(t, h.LinkExternal(ctx, local.ID, "https://dir.test", "s2"))
		must(t, h.LinkExternal(ctx, local.ID, "https://dir.test", "s2"))
		wantErr(t, h.LinkExternal(ctx, first.ID, "https://dir.test", "s2"), identity.ErrTaken)
		wantErr(t, h.LinkExternal(ctx, 999, "https://dir.test", "s3"), identity.ErrNotFound)
		wantErr(t, h.LinkExternal(ctx, local.ID, "https://dir.test", ""), identity.ErrInvalid)
		linked, _, err := h.SignInExternal(ctx, account("s2", "other"))
		must(t, err)
		if linked.ID != local.ID {
			t.Errorf("linked sign-in = %+v, want ada", linked)
		}
		links, err := h.ExternalUsers(ctx, local.ID)
		if err != nil || len(links) != 1 || links[0].Subject != "s2" {
			t.Errorf("links = %+v, %v", links, err)
		}
		must(t, h.UnlinkExternal(ctx, local.ID))
		wantErr(t, h.UnlinkExternal(ctx, local.ID), identity.ErrNotFound)

		must(t, h.DisableUser(ctx, first.ID, true))
		_, _, err = h.SignInExternal(ctx, account("s1", "ada"))
		wantErr(t, err, identity.ErrDisabled)
	})
}

// TestExternalMemberships: groups give and take back, and leave alone what the
// operator gave.
func TestExternalMemberships(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		owner, yes := h.user("owner"), true
		_, err := h.UpdateUser(ctx, owner.ID, identity.UserChange{Admin: &yes}) // so that the group's is not the last
		must(t, err)
		acme, err := h.AddOrg(ctx, "acme", false)
		must(t, err)
		other, err := h.AddOrg(ctx, "other", false)
		must(t, err)
		team, err := h.AddTeam(ctx, identity.NewTeam{Name: "core", OwnerID: owner.ID})
		must(t, err)
		org := func(name, role string) oidc.Membership {
			return oidc.Membership{Kind: oidc.Org, Name: name, Role: role}
		}
		core := func(role string) oidc.Membership { return oidc.Membership{Kind: oidc.Team, Name: "core", Role: role} }
		admin := oidc.Membership{Kind: oidc.Admin}

		u, missing, err := h.SignInExternal(ctx,
			account("s", "eve", org("ACME", "member"), core("admin"), admin, org("none", "member")))
		must(t, err)
		if !u.Admin || len(missing) != 1 || missing[0] != "org none" {
			t.Errorf("admin %t, missing %q; want an administrator and one that is missing", u.Admin, missing)
		}
		check := func(wantOrg identity.OrgRole, wantTeam identity.TeamRole) {
			t.Helper()
			role, _ := h.OrgRoleOf(ctx, acme.ID, u.ID)
			member, _ := h.TeamMember(ctx, team.ID, u.ID)
			if role != wantOrg || member.Role != wantTeam {
				t.Errorf("roles = %q, %q; want %q, %q", role, member.Role, wantOrg, wantTeam)
			}
		}
		check(identity.OrgMember, identity.TeamAdmin)

		// The operator makes the user a member elsewhere: groups do not change that.
		must(t, h.SetOrgMember(ctx, other.ID, u.ID, identity.OrgOwner))
		_, _, err = h.SignInExternal(ctx, account("s", "eve", org("acme", "owner"), org("other", "member"), core("owner")))
		must(t, err)
		check(identity.OrgOwner, identity.TeamOwner)
		if role, _ := h.OrgRoleOf(ctx, other.ID, u.ID); role != identity.OrgOwner {
			t.Errorf("role that the operator gave = %q, want owner", role)
		}
		if again, err := h.User(ctx, u.ID); err != nil || again.Admin {
			t.Errorf("user = %+v, %v; want no administrator any more", again, err)
		}

		// The last owner of a team stays until there is another.
		must(t, h.RemoveTeamMember(ctx, team.ID, owner.ID))
		_, _, err = h.SignInExternal(ctx, account("s", "eve"))
		must(t, err)
		check("", identity.TeamOwner)
		must(t, h.SetTeamMember(ctx, team.ID, owner.ID, identity.TeamOwner))
		_, _, err = h.SignInExternal(ctx, account("s", "eve"))
		must(t, err)
		check("", "")
		if role, _ := h.OrgRoleOf(ctx, other.ID, u.ID); role != identity.OrgOwner {
			t.Errorf("role that the operator gave = %q, want owner", role)
		}
	})
}

// TestTheLastAdministratorStaysAtASignIn: a group that gave administration takes it back only while another user could
// administer the installation. A service account never signs in, so it is no such user.
func TestTheLastAdministratorStaysAtASignIn(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx, yes := t.Context(), true
		eve, _, err := h.SignInExternal(ctx, account("s", "eve", oidc.Membership{Kind: oidc.Admin}))
		must(t, err)
		service, _, err := h.AddClient(ctx, identity.NewClient{Name: "x", Type: identity.ClientService})
		must(t, err)
		_, err = h.UpdateUser(ctx, service.PrincipalID, identity.UserChange{Admin: &yes})
		must(t, err)
		check := func(want bool) {
			t.Helper()
			u, _, err := h.SignInExternal(ctx, account("s", "eve"))
			must(t, err)
			stored, err := h.User(ctx, eve.ID)
			must(t, err)
			if u.Admin != want || stored.Admin != want {
				t.Errorf("administrator: %t, stored %t; want %t", u.Admin, stored.Admin, want)
			}
		}
		check(true)
		wantErr(t, h.UnlinkExternal(ctx, eve.ID), identity.ErrLastAdmin)
		wantErr(t, h.DisableUser(ctx, eve.ID, true), identity.ErrLastAdmin)
		check(true)
		_, err = h.UpdateUser(ctx, h.user("ada").ID, identity.UserChange{Admin: &yes})
		must(t, err)
		check(false)
	})
}

// TestAdministratorsAtOnce: of two administrators whom groups made, and who sign in without them at the same moment,
// one stays.
func TestAdministratorsAtOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx, names := t.Context(), []string{"ada", "eve"}
		for _, name := range names {
			_, _, err := h.SignInExternal(ctx, account(name, name, oidc.Membership{Kind: oidc.Admin}))
			must(t, err)
		}
		var wait sync.WaitGroup
		var admins atomic.Int64
		for _, name := range names {
			wait.Go(func() {
				u, _, err := h.SignInExternal(ctx, account(name, name))
				if err != nil {
					t.Error(err)
				}
				if u.Admin {
					admins.Add(1)
				}
			})
		}
		wait.Wait()
		if n := admins.Load(); n != 1 {
			t.Errorf("%d administrators, want one", n)
		}
	})
}

// TestExternalAtOnce: an account that signs in twice at the same moment is one user.
func TestExternalAtOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		var wait sync.WaitGroup
		ids := make([]int64, 8)
		for n := range ids {
			wait.Go(func() {
				u, _, err := h.SignInExternal(t.Context(), account("s", "eve"))
				if err != nil {
					t.Error(err)
				}
				ids[n] = u.ID
			})
		}
		wait.Wait()
		for _, id := range ids {
			if id != ids[0] {
				t.Fatalf("users = %v, want one", ids)
			}
		}
	})
}

// clockThat is a clock that does something when it is read.
type clockThat struct {
	clock.Clock
	does func()
}

func (c *clockThat) Now() time.Time {
	c.does()
	return c.Clock.Now()
}

// TestASignInUndoesNothing: what an operator does to a user while the user signs in at the provider stays done. On
// SQLite there is one writer, so nothing happens in between.
func TestASignInUndoesNothing(t *testing.T) {
	t.Parallel()
	ctx, db := t.Context(), databases.Postgres(t)
	operator := build(t, db, clock.NewVirtual(epoch))
	var now clockThat
	h := build(t, db, clock.NewVirtual(epoch), func(o *identity.Options) {
		now = clockThat{o.Clock, func() {}}
		o.Clock = &now
	})
	owner := h.user("owner")
	_, err := h.AddTeam(ctx, identity.NewTeam{Name: "core", OwnerID: owner.ID})
	must(t, err)
	eve, _, err := h.SignInExternal(ctx, account("s", "eve"))
	must(t, err)

	// The time of a membership is read when the user has been read and is not written yet.
	now.does = func() {
		now.does = func() {}
		must(t, operator.DisableUser(ctx, eve.ID, true))
	}
	_, _, err = h.SignInExternal(ctx, account("s", "eve", oidc.Membership{Kind: oidc.Team, Name: "core", Role: "member"}))
	wantErr(t, err, identity.ErrDisabled)
	if u, err := h.User(ctx, eve.ID); err != nil || !u.Disabled {
		t.Errorf("user = %+v, %v, want disabled", u, err)
	}
}
