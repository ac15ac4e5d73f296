package identity_test

import (
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
)

func TestOrgs(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		ada := h.user("ada")
		org, err := h.AddOrg(ctx, "Acme", true)
		must(t, err)
		got, err := h.OrgByName(ctx, "aCME")
		must(t, err)
		if got != org {
			t.Errorf("OrgByName = %+v, want %+v", got, org)
		}
		must(t, h.SetOrgMember(ctx, org.ID, ada.ID, identity.OrgMember))
		must(t, h.SetOrgMember(ctx, org.ID, ada.ID, identity.OrgOwner))
		members, err := h.OrgMembers(ctx, org.ID)
		must(t, err)
		if len(members) != 1 || members[0].Role != identity.OrgOwner || members[0].UserName != "ada" {
			t.Errorf("OrgMembers = %+v, want ada as owner", members)
		}
		mine, err := h.OrgsOf(ctx, ada.ID)
		must(t, err)
		if len(mine) != 1 || mine[0].Org != org {
			t.Errorf("OrgsOf = %+v, want %+v", mine, org)
		}
		must(t, h.RemoveOrgMember(ctx, org.ID, ada.ID))
		wantErr(t, h.RemoveOrgMember(ctx, org.ID, ada.ID), identity.ErrNotFound)
		_, err = h.OrgRoleOf(ctx, org.ID, ada.ID)
		wantErr(t, err, identity.ErrNotFound)
		wantErr(t, h.SetOrgMember(ctx, org.ID, 999, identity.OrgMember), identity.ErrNotFound)
		wantErr(t, h.SetOrgMember(ctx, org.ID, ada.ID, "king"), identity.ErrInvalid)
	})
}

func TestTeams(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		ada, bob := h.user("ada"), h.user("bob")
		team, err := h.AddTeam(ctx, identity.NewTeam{
			Name: "Crew", OwnerID: ada.ID, MemberIDs: []int64{ada.ID, bob.ID}, SSOOnly: true,
		})
		must(t, err)
		if team.Name != "crew" || team.Title != "Crew" || !team.SSOOnly || !team.Active {
			t.Errorf("AddTeam = %+v", team)
		}
		_, err = h.AddTeam(ctx, identity.NewTeam{Name: "CREW", OwnerID: ada.ID})
		wantErr(t, err, identity.ErrTaken)
		_, err = h.AddTeam(ctx, identity.NewTeam{Name: "ghosts", OwnerID: 999})
		wantErr(t, err, identity.ErrNotFound)
		_, err = h.TeamByName(ctx, "ghosts")
		wantErr(t, err, identity.ErrNotFound)
		_, err = h.AddTeam(ctx, identity.NewTeam{Name: "no_label", OwnerID: ada.ID})
		wantErr(t, err, identity.ErrInvalid)

		owner, err := h.TeamMember(ctx, team.ID, ada.ID)
		must(t, err)
		if owner.Role != identity.TeamOwner || !owner.Role.Manages() {
			t.Errorf("role of the owner named as member too = %q, want owner", owner.Role)
		}
		list, total, err := h.TeamMembers(ctx, team.ID, 1, 5)
		must(t, err)
		if total != 2 || len(list) != 1 || list[0].User.Name != "bob" {
			t.Errorf("TeamMembers offset 1 = %+v of %d, want bob of 2", list, total)
		}
		wantErr(t, h.SetTeamMember(ctx, team.ID, ada.ID, identity.TeamMember), identity.ErrLastOwner)
		wantErr(t, h.RemoveTeamMember(ctx, team.ID, ada.ID), identity.ErrLastOwner)

		h.clock.Advance(time.Hour)
		newer, err := h.AddTeam(ctx, identity.NewTeam{Name: "newer", OwnerID: ada.ID})
		must(t, err)
		teams, err := h.TeamsOf(ctx, ada.ID)
		must(t, err)
		if len(teams) != 2 || teams[0] != newer {
			t.Errorf("TeamsOf = %+v, want the newer first", teams)
		}
	})
}

func TestLeavingATeamEndsItsTokens(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		ada, bob := h.user("ada"), h.user("bob")
		team, err := h.AddTeam(ctx, identity.NewTeam{Name: "crew", OwnerID: ada.ID, MemberIDs: []int64{bob.ID}})
		must(t, err)
		_, inTeam := h.token(identity.IssueOptions{UserID: bob.ID, TeamID: team.ID, Services: []string{"articles"}})
		_, ownToken := h.token(identity.IssueOptions{UserID: bob.ID, Services: []string{"articles"}})
		if c := h.resolves("articles", inTeam, nil); c.Team != "crew" || c.TeamID != team.ID {
			t.Errorf("team of the caller = %q, want crew", c.Team)
		}
		must(t, h.RemoveTeamMember(ctx, team.ID, bob.ID))
		h.resolves("articles", inTeam, identity.ErrRevoked)
		h.resolves("articles", ownToken, nil)
	})
}

func TestLastAccessIsSeenBeforeAndAfterTheFlush(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		ada := h.user("ada")
		team, err := h.AddTeam(ctx, identity.NewTeam{Name: "crew", OwnerID: ada.ID})
		must(t, err)
		for _, when := range []string{"never", "pending", "written"} {
			switch when {
			case "pending":
				h.clock.Advance(time.Second)
				h.RecordTeamAccess(team.ID, ada.ID)
			case "written":
				must(t, h.Flush(ctx))
			}
			m, err := h.TeamMember(ctx, team.ID, ada.ID)
			must(t, err)
			if when == "never" {
				if !m.LastAccess.IsZero() {
					t.Errorf("%s: last access = %v, want none", when, m.LastAccess)
				}
			} else if want := epoch.Add(time.Second); !m.LastAccess.Equal(want) {
				t.Errorf("%s: last access = %v, want %v", when, m.LastAccess, want)
			}
		}
	})
}

// TestPagesOfOrgsAndTeams go on after a name, in any case, whether or not it is there.
func TestPagesOfOrgsAndTeams(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		ada := h.user("ada")
		for _, name := range []string{"Delta", "alpha", "Charlie", "bravo"} {
			_, err := h.AddOrg(ctx, name, false)
			must(t, err)
			_, err = h.AddTeam(ctx, identity.NewTeam{Name: name, OwnerID: ada.ID})
			must(t, err)
		}
		for _, c := range []struct {
			after string
			limit int
			want  string
		}{
			{"", 0, "alpha bravo charlie delta"},
			{"", 2, "alpha bravo"},
			{"BRAVO", 1, "charlie"},
			{"c", 0, "charlie delta"},
			{"delta", 5, ""},
		} {
			orgs, err := h.Orgs(ctx, c.after, c.limit)
			must(t, err)
			teams, err := h.Teams(ctx, c.after, c.limit)
			must(t, err)
			var ofOrgs, ofTeams []string
			for _, o := range orgs {
				ofOrgs = append(ofOrgs, strings.ToLower(o.Name))
			}
			for _, team := range teams {
				ofTeams = append(ofTeams, team.Name)
			}
			if a, b := strings.Join(ofOrgs, " "), strings.Join(ofTeams, " "); a != c.want || b != c.want {
				t.Errorf("after %q, %d at most: %q and %q, want %q", c.after, c.limit, a, b, c.want)
			}
		}
	})
}
