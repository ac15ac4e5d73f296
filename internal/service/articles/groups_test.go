package articles_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/teamleave"
	"stoa.dev/stoa/internal/platform/database"
)

// TestGroups runs one after another on one server.
func TestGroups(t *testing.T) {
	onBoth(t, func(t *testing.T, s *testServer) {
		s.each(t, []part{
			{"a private group keeps its templates", keepsTemplates},
			{"a group with items cannot go", holdsItems},
			{"many private groups", hidesMany},
			{"identities", findsIdentities},
			{"a removal is not half", removesWhole},
			{"who comes back finds no groups", leavesGroups},
		})
		if s.World.DB.Engine() == database.Postgres { // SQLite has one writer: nothing comes between its steps
			s.each(t, []part{
				{"an item written while its group goes stays hidden", keepsLateItems},
				{"who leaves while a group takes them", leavesMeanwhile},
			})
		}
	})
}

// part is a test that shares a server with others.
type part struct {
	name string
	run  func(t *testing.T, s *testServer)
}

func (s *testServer) each(t *testing.T, parts []part) {
	for _, p := range parts {
		t.Run(p.name, func(t *testing.T) {
			s.t = t
			p.run(t, s)
		})
	}
	s.t = t
}

// join makes plain members of the team and gives them tokens that may do
// everything in it.
func (s *testServer) join(names ...string) []string {
	s.t.Helper()
	tokens := make([]string, len(names))
	for n, name := range names {
		if err := s.Identity.SetTeamMember(s.t.Context(), s.teams["lyceum"].ID, s.User(name).ID,
			identity.TeamMember); err != nil {
			s.t.Fatal(err)
		}
		tokens[n] = s.token(name, "", "read_svc_team", "write_svc_team")
	}
	return tokens
}

// exec runs statements as an operator might, without the service.
func (s *testServer) exec(statement string, args ...any) {
	s.t.Helper()
	err := s.World.DB.Write(s.t.Context(), func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(s.t.Context(), statement, args...)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// keepsTemplates: deleting the group would show them to
// everybody.
func keepsTemplates(t *testing.T, s *testServer) {
	tokens := s.join("alan", "kurt")
	alan, kurt := tokens[0], tokens[1]
	s.want(201, "POST", teamHost, "groups", `{"url_name":"secret","name":"Secret","private":true}`, alan)
	made := s.want(201, "POST", teamHost, "templates",
		`{"name":"n","title":"t","body":"whisper","tags":[],"group_url_name":"secret"}`, alan)
	path := fmt.Sprintf("templates/%v", made["id"])
	s.want(403, "DELETE", teamHost, "groups/secret", "", alan)
	s.want(404, "GET", teamHost, path, "", kurt)
	s.want(204, "DELETE", teamHost, path, "", alan)
	s.want(204, "DELETE", teamHost, "groups/secret", "", alan)
	s.want(404, "GET", teamHost, "groups/secret", "", alan)
}

// holdsItems: an item that was written while its group was being
// deleted does not become everybody's, because the database holds the group.
func holdsItems(t *testing.T, s *testServer) {
	alan := s.join("alan")[0]
	s.want(201, "POST", teamHost, "groups", `{"url_name":"kept","name":"Kept","private":true}`, alan)
	s.want(201, "POST", teamHost, "items", `{"title":"Hidden","body":"whisper","tags":[],"group_url_name":"kept"}`,
		alan)
	err := s.World.DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(t.Context(), `DELETE FROM articles_groups WHERE url_name = 'kept'`)
		return err
	})
	if !errors.Is(err, database.ErrForeignKey) {
		t.Errorf("got %v, want %v", err, database.ErrForeignKey)
	}
}

// keepsLateItems writes an item in a private group after its deletion has looked for items, and before it takes the
// group from them.
func keepsLateItems(t *testing.T, s *testServer) {
	alan := s.join("alan")[0]
	s.want(201, "POST", teamHost, "groups", `{"url_name":"late","name":"Late","private":true}`, alan)
	var item map[string]any
	answered := make(chan int, 1)
	err := s.World.DB.WriteKeyed(t.Context(), "late item", func(ctx context.Context, tx *database.Tx) error {
		// The deletion looks at items, and then waits for the templates.
		if _, err := tx.Exec(ctx, `LOCK TABLE articles_templates`); err != nil {
			return err
		}
		go func() { answered <- s.call("DELETE", teamHost, "/api/v2/groups/late", "", alan).Code }()
		if err := s.waitForLock(ctx); err != nil {
			return err
		}
		item = s.want(201, "POST", teamHost, "items",
			`{"title":"Late","body":"whisper","tags":[],"group_url_name":"late"}`, alan)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if code := <-answered; code != 403 {
		t.Errorf("the group with an item was deleted with %d, want 403", code)
	}
	var hidden bool
	err = s.World.DB.QueryRow(t.Context(), `SELECT group_number IS NOT NULL FROM articles_items WHERE id = $1`,
		item["id"]).Scan(&hidden)
	if err != nil || !hidden {
		t.Errorf("the item is in its group: %t, %v, want true", hidden, err)
	}
}

// waitForLock returns when a transaction of the server waits for another one. Only PostgreSQL has locks.
func (s *testServer) waitForLock(ctx context.Context) error {
	for waiting := false; !waiting; {
		if err := s.World.DB.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid)
			WHERE a.datname = current_database() AND NOT l.granted)`).Scan(&waiting); err != nil {
			return err
		}
	}
	return nil
}

// hidesMany hides more groups from a member than a text index takes
// terms.
func hidesMany(t *testing.T, s *testServer) {
	tokens := s.join("alan", "kurt")
	alan, kurt := tokens[0], tokens[1]
	s.want(201, "POST", teamHost, "items", `{"title":"Open","body":"shout a phrase","tags":[]}`, alan)
	for n, made := range []int{40, 300} {
		for i := range made {
			s.exec(`INSERT INTO articles_groups (team_id, url_name, name, description, private, created_at,
				updated_at) VALUES ($1, $2, '', '', $3, '', '')`,
				s.teams["lyceum"].ID, fmt.Sprintf("g%d-%d", n, i), true)
		}
		name := fmt.Sprintf("secret%d", n)
		s.want(201, "POST", teamHost, "groups", `{"url_name":"`+name+`","name":"Secret","private":true}`, alan)
		s.want(201, "POST", teamHost, "items",
			`{"title":"Hidden","body":"shout a phrase","tags":[],"group_url_name":"`+name+`"}`, alan)
		for _, query := range []string{"", "shout", `%22a+phrase%22`, "created:%3E2000", "shout+sort:stocks",
			"-nothing", "shout+OR+created:%3E2000"} {
			if got := s.titles(teamHost, "items?query="+query, "title", kurt); got != "Open" {
				t.Errorf("%q among %d groups: got %q, want Open", query, made, got)
			}
		}
	}
}

// removesWhole: who cannot be taken out of the groups stays in the team,
// and does not find them again one day.
func removesWhole(t *testing.T, s *testServer) {
	s.join("alan")
	ada := s.token("ada", "", "read_svc_team", "write_svc_team")
	s.exec(`ALTER TABLE articles_group_members RENAME TO articles_elsewhere`)
	s.want(500, "DELETE", teamHost, "remove_team_member/alan", "", ada)
	s.want(200, "GET", teamHost, "users/alan", "", ada)
	s.exec(`ALTER TABLE articles_elsewhere RENAME TO articles_group_members`)
	s.want(204, "DELETE", teamHost, "remove_team_member/alan", "", ada)
	s.want(404, "GET", teamHost, "users/alan", "", ada)
}

// leavesGroups: the private groups end with a membership of the team, by whatever way it is ended.
func leavesGroups(t *testing.T, s *testServer) {
	tokens := s.join("alan", "kurt")
	alan := tokens[0]
	s.want(201, "POST", teamHost, "groups", `{"url_name":"inner","name":"Inner","private":true}`, alan)
	s.want(201, "POST", teamHost, "groups/inner/members", `{"identities":["kurt"]}`, alan)
	if err := s.Identity.RemoveTeamMember(t.Context(), s.teams["lyceum"].ID, s.User("kurt").ID); err != nil {
		t.Fatal(err)
	}
	kurt := s.join("kurt")[0]
	s.want(404, "GET", teamHost, "groups/inner", "", kurt)
	if got := s.titles(teamHost, "groups/inner/members", "id", alan); got != "alan" {
		t.Errorf("members: got %q, want alan", got)
	}
}

// leavesMeanwhile ends memberships of the team after requests have found them, and before these write.
func leavesMeanwhile(t *testing.T, s *testServer) {
	tokens := s.join("alan", "kurt")
	alan, kurt := tokens[0], tokens[1]
	s.want(201, "POST", teamHost, "groups", `{"url_name":"open","name":"Open"}`, alan)
	// meanwhile runs a request whose group is locked until kurt has left.
	meanwhile := func(group, path, body, token string) int {
		answered := make(chan int, 1)
		err := s.World.DB.WriteKeyed(t.Context(), "articles/group/"+group, func(ctx context.Context, _ *database.Tx) error {
			go func() { answered <- s.call("POST", teamHost, "/api/v2/"+path, body, token).Code }()
			if err := s.waitForLock(ctx); err != nil {
				return err
			}
			return s.Identity.RemoveTeamMember(t.Context(), s.teams["lyceum"].ID, s.User("kurt").ID)
		})
		if err != nil {
			t.Fatal(err)
		}
		return <-answered
	}
	if code := meanwhile("open", "groups/open/members", `{"identities":["kurt"]}`, alan); code != 400 {
		t.Errorf("adding who has left: got %d, want 400", code)
	}
	s.join("kurt")
	if code := meanwhile("fresh", "groups", `{"url_name":"fresh","name":"Fresh"}`, kurt); code != 404 {
		t.Errorf("a group of who has left: got %d, want 404", code)
	}
	// Who is kept in the team while a group takes them leaves that group too.
	s.join("kurt")
	team, user := s.teams["lyceum"].ID, s.User("kurt").ID
	left := make(chan error, 1)
	err := s.World.DB.WriteKeyed(t.Context(), "taken", func(ctx context.Context, tx *database.Tx) error {
		if member, err := teamleave.Keep(ctx, tx, team, user); err != nil || !member {
			return fmt.Errorf("kurt is kept: %t, %w", member, err)
		}
		go func() { left <- s.Identity.RemoveTeamMember(t.Context(), team, user) }()
		if err := s.waitForLock(ctx); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO articles_group_members (group_number, user_id, created_at)
			SELECT number, $1, '' FROM articles_groups WHERE url_name = 'open'`, user)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-left; err != nil {
		t.Fatal(err)
	}
	var rows int
	err = s.World.DB.QueryRow(t.Context(), `SELECT COUNT(*) FROM articles_group_members WHERE user_id = $1`,
		user).Scan(&rows)
	if err != nil || rows != 0 {
		t.Errorf("who left is in %d groups, %v, want none", rows, err)
	}
}

// findsIdentities are names and addresses, in any case.
func findsIdentities(t *testing.T, s *testServer) {
	alan := s.join("alan", "kurt")[0]
	address := "Kurt@Example.com"
	if _, err := s.Identity.UpdateUser(t.Context(), s.User("kurt").ID,
		identity.UserChange{Email: &address}); err != nil {
		t.Fatal(err)
	}
	s.want(201, "POST", teamHost, "groups",
		`{"url_name":"a","name":"日本語の名前はバイトでは長くなるけれども文字数では二百五十五に満たない`+
			`ので受け入れられるべきであり、さらに続けて書いても百文字にすら届かないのである。念のためもう少しだけ長くしておく。"}`, alan)
	s.want(201, "POST", teamHost, "groups/a/members", `{"identities":["kurt@example.COM","ADA"]}`, alan)
	if got := s.titles(teamHost, "groups/a/members", "id", alan); got != "alan kurt ada" {
		t.Errorf("members: got %q, want alan kurt ada", got)
	}
}
