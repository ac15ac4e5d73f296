package articles_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
)

// TestInvitations invites to a team as clients of the real service do, and joins it.
func TestInvitations(t *testing.T) {
	onBoth(t, func(t *testing.T, s *testServer) {
		ada := s.token("ada", "", "read_svc_team", "write_svc_team")
		invite := func(email string) string {
			t.Helper()
			w := s.call("POST", teamHost, "/api/v2/team_invitations", `{"email":"`+email+`"}`, ada)
			var made struct{ Email, URL string }
			if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != 201 ||
				made.Email != strings.ToLower(email) {
				t.Fatalf("invite %s: %d %s", email, w.Code, w.Body)
			}
			address, err := url.Parse(made.URL)
			if err != nil {
				t.Fatal(err)
			}
			return address.EscapedPath()
		}
		visit := func(want int, method, path string, reader *identity.User, headers ...string) {
			t.Helper()
			s.reader = reader
			if w := s.Call(method, "https://localhost"+path, "", headers...); w.Code != want {
				t.Errorf("%s %.40s… = %d %s, want %d", method, path, w.Code, w.Body, want)
			}
		}
		member := s.join("alan")[0]
		s.want(403, "POST", teamHost, "team_invitations", `{"email":"x@example.com"}`, member)
		s.want(403, "GET", teamHost, "team_invitations", "", member)
		s.want(403, "DELETE", teamHost, "team_invitations/x@example.com", "", member)
		s.want(404, "GET", "localhost", "team_invitations", "", ada)
		for _, wrong := range []string{"", "x", "a b@example.com", "Ada <ada@example.com>", "a@" + strings.Repeat("b", 254)} {
			s.want(400, "POST", teamHost, "team_invitations", `{"email":"`+wrong+`"}`, ada)
		}

		before := invite("Grace@Example.com")
		s.Clock.Advance(time.Second)
		now := invite("grace@example.com")
		w := s.call("GET", teamHost, "/api/v2/team_invitations?per_page=1", "", ada)
		if w.Header().Get("Total-Count") != "1" || !strings.Contains(w.Body.String(), "/articles/invitations/") {
			t.Errorf("list: %v %s", w.Header(), w.Body)
		}
		grace := s.User("grace")
		visit(404, "GET", before, &grace) // the later one replaced it
		visit(303, "GET", now, nil)
		visit(200, "GET", now, &grace)
		visit(401, "POST", now, nil)
		visit(403, "POST", now, &grace, "Sec-Fetch-Site: cross-site")
		removed := identity.User{ID: 1 << 40}
		visit(404, "POST", now, &removed) // their membership cannot be written: the invitation stays
		visit(200, "GET", now, &grace)
		visit(200, "POST", now, &grace)
		visit(404, "POST", now, &grace) // good once
		if m, err := s.Identity.TeamMember(t.Context(), s.teams["lyceum"].ID, grace.ID); err != nil ||
			m.Role != identity.TeamMember {
			t.Errorf("member: %+v, %v", m, err)
		}

		owner := s.User("ada")
		visit(200, "POST", invite("other@example.com"), &owner) // keeps the role
		if m, err := s.Identity.TeamMember(t.Context(), s.teams["lyceum"].ID, owner.ID); err != nil ||
			m.Role != identity.TeamOwner {
			t.Errorf("owner: %+v, %v", m, err)
		}
		leaver := s.User("leaver")
		role := func(r identity.TeamRole) {
			t.Helper()
			if err := s.Identity.SetTeamMember(t.Context(), s.teams["lyceum"].ID, leaver.ID, r); err != nil {
				t.Fatal(err)
			}
		}
		role(identity.TeamAdmin)
		mine := ada
		ada = s.token("leaver", "", "read_svc_team", "write_svc_team")
		byLeaver := invite("back@example.com")
		ada = mine
		visit(200, "GET", byLeaver, &leaver)
		role(identity.TeamMember)
		visit(404, "GET", byLeaver, &leaver) // its maker may not invite any more
		withdrawn, late := invite("w@example.com"), invite("l@example.com")
		s.want(204, "DELETE", teamHost, "team_invitations/W@example.com", "", ada)
		s.want(404, "DELETE", teamHost, "team_invitations/w@example.com", "", ada)
		visit(404, "GET", withdrawn, &grace)
		s.Clock.Advance(24 * time.Hour)
		visit(404, "GET", late, &grace)
		s.want(404, "DELETE", teamHost, "team_invitations/l@example.com", "", ada)
	})
}
