package articles_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/articles"
)

// TestCountsAreExact has many people like, stock, comment and tag at once.
func TestCountsAreExact(t *testing.T) {
	t.Parallel()
	build := func(w *world.World, people *identity.Identity) module.Module {
		return articles.New(w, people, articles.DefaultConfig()).Module()
	}
	identitytest.Run(t, build, func(t *testing.T, h *identitytest.House) {
		const people = 20
		call := func(token, method, path, body string) *httptest.ResponseRecorder {
			return h.Call(method, "https://localhost/api/v2/"+path, body, "Authorization: Bearer "+token)
		}
		object := func(w *httptest.ResponseRecorder) map[string]any {
			var out map[string]any
			if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
				t.Fatalf("%d %s: %v", w.Code, w.Body, err)
			}
			return out
		}
		ada := h.Token("ada")
		id := fmt.Sprint(object(call(ada, "POST", "items", `{"title":"T","body":"b","tags":[{"name":"Go"}]}`))["id"])
		var crowd sync.WaitGroup
		for n := range people {
			token := h.Token(fmt.Sprintf("person%d", n))
			crowd.Go(func() {
				for _, row := range []struct {
					method, path, body string
					want               int
				}{
					{"PUT", "items/" + id + "/like", "", 204},
					{"PUT", "items/" + id + "/like", "", 204},
					{"PUT", "items/" + id + "/stock", "", 204},
					{"POST", "items/" + id + "/comments", `{"body":"x"}`, 201},
					{"PUT", "tags/go/following", "", 204},
					{"POST", "items", `{"title":"T","body":"b","tags":[{"name":"go"},{"name":"new"},{"name":"a"}]}`, 201},
					{"DELETE", "items/" + id + "/stock", "", 204},
				} {
					if w := call(token, row.method, row.path, row.body); w.Code != row.want {
						t.Errorf("%s %s: %d %s, want %d", row.method, row.path, w.Code, w.Body, row.want)
					}
				}
			})
		}
		crowd.Wait()
		item, tag := object(call(ada, "GET", "items/"+id, "")), object(call(ada, "GET", "tags/go", ""))
		for name, row := range map[string]struct{ got, want any }{
			"likes": {item["likes_count"], float64(people)}, "stocks": {item["stocks_count"], 0.0}, "comments": {item["comments_count"], float64(people)},
			"followers": {tag["followers_count"], float64(people)}, "items": {tag["items_count"], float64(people + 1)},
		} {
			if row.got != row.want {
				t.Errorf("%s: got %v, want %v", name, row.got, row.want)
			}
		}
	})
}

// TestWhoMayRemove is the matrix of roles.
func TestWhoMayRemove(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	team := s.teams["lyceum"].ID
	for name, role := range map[string]identity.TeamRole{"grace": identity.TeamAdmin, "alan": identity.TeamMember, "kurt": identity.TeamMember} {
		if err := s.People.SetTeamMember(t.Context(), team, s.User(name).ID, role); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		who, whom string
		want      int
	}{
		{"grace", "ada", 403}, {"grace", "grace", 403}, {"alan", "kurt", 403}, {"ada", "ada", 403}, {"grace", "nobody", 404}, {"grace", "kurt", 204}, {"ada", "grace", 204},
	} {
		w := s.call("DELETE", "lyceum.localhost", "/api/v2/remove_team_member/"+row.whom, "", s.token(row.who, "", "write_svc_team"))
		if w.Code != row.want {
			t.Errorf("%s removes %s: %d, want %d: %s", row.who, row.whom, w.Code, row.want, w.Body)
		}
	}
}

// TestTokensThatMayNotRead: a private item is data of its author, which only a
// token with the scope to read opens.
func TestTokensThatMayNotRead(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	const public = "localhost"
	all := s.token("ada", "", "read_svc", "write_svc")
	id := fmt.Sprint(s.want(201, "POST", public, "items", `{"title":"Hidden","body":"b","private":true,"tags":[{"name":"Go"}]}`, all)["id"])
	comment := fmt.Sprint(s.want(201, "POST", public, "items/"+id+"/comments", `{"body":"x"}`, all)["id"])
	for name, row := range map[string]struct {
		token string
		want  int
	}{
		"reads":              {s.token("ada", "", "read_svc"), 200},
		"writes":             {s.token("ada", "", "write_svc"), 404},
		"reads teams":        {s.token("ada", "", "read_svc_team"), 404},
		"a team's own token": {s.token("ada", "lyceum", "read_svc_team", "write_svc_team"), 404},
		"nothing":            {s.token("ada", ""), 404},
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"items/" + id, "items/" + id + "/comments", "items/" + id + "/likes", "items/" + id + "/stockers", "comments/" + comment} {
				if w := s.call("GET", public, "/api/v2/"+path, "", row.token); w.Code != row.want {
					t.Errorf("%s: %d %s, want %d", path, w.Code, w.Body, row.want)
				}
			}
		})
	}
	s.want(200, "PATCH", public, "items/"+id, `{"title":"Changed"}`, s.token("ada", "", "write_svc"))
}

// TestPrivateItems are their author's alone.
func TestPrivateItems(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	ada, grace := s.token("ada", "", "read_svc", "write_svc"), s.token("grace", "", "read_svc", "write_svc")
	w := s.call("POST", "localhost", "/api/v2/items", `{"title":"T","body":"b","private":true,"tags":[{"name":"Go"}]}`, ada)
	var made struct{ ID string }
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != 201 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	at := "/api/v2/items/" + made.ID
	for _, row := range []struct {
		method, path, body, token string
		want                      int
	}{
		{"GET", at, "", ada, 200},
		{"GET", at, "", grace, 404},
		{"GET", at, "", "", 404},
		{"GET", at + "/comments", "", grace, 404},
		{"PUT", at + "/like", "", grace, 404},
		{"POST", at + "/comments", `{"body":"x"}`, grace, 404},
		{"PATCH", at, `{"title":"x"}`, grace, 404},
		{"PATCH", at, `{"private":false}`, ada, 200},
		{"GET", at, "", grace, 200},
		{"PATCH", at, `{"private":true}`, ada, 403},
		{"PATCH", at, `{"title":"x"}`, grace, 403},
		{"DELETE", at, "", grace, 403},
		{"PATCH", at, `{"tags":[]}`, ada, 400},
		{"PATCH", at, `{"tags":[{"name":"a b"}]}`, ada, 400},
		{"DELETE", at, "", ada, 204},
	} {
		if w := s.call(row.method, "localhost", row.path, row.body, row.token); w.Code != row.want {
			t.Errorf("%s %s %s: %d, want %d: %s", row.method, row.path, row.body, w.Code, row.want, w.Body)
		}
	}
}
