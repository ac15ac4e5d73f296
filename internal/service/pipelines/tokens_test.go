package pipelines_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/service/pipelines"
)

// TestTokensOfANameTakenOver checks that a token opens the repository that it was
// made for, and none that bears its name later.
func TestTokensOfANameTakenOver(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		const old = "/api/v1.1/project/vcs_a/ada/stoa"
		first := h.repo(t, "ada", "stoa", true)
		h.repo(t, "ada", "other", true)
		made := func() string {
			return fmt.Sprint(h.json(t, "POST", old+"/token", `{"label":"x","scope":"all"}`, h.Token("ada"),
				201)["token"])
		}
		byHand := h.Issue(identity.IssueOptions{
			Kind: identity.KindProject, Services: []string{"pipelines"}, Scopes: []string{"all"},
			UserID: h.User("ada").ID, Repo: "ada/stoa",
		})
		allowed := func(name, path, token string, want int) {
			t.Helper()
			if w := h.send("POST", path+"/envvar", `{"name":"A","value":"12345678"}`, token); w.Code != want {
				t.Errorf("%s: got %d %s, want %d", name, w.Code, w.Body, want)
			}
		}
		token := made()
		allowed("fresh", old, token, http.StatusCreated)
		allowed("fresh, by hand", old, byHand, http.StatusCreated)

		name := "renamed"
		if _, err := h.forge.Update(t.Context(), first.ID, forge.Change{Name: &name}, h.actor("ada")); err != nil {
			t.Fatal(err)
		}
		h.Clock.Advance(time.Hour)
		second := h.repo(t, "ada", "stoa", true)
		allowed("the new repository", old, token, http.StatusNotFound)
		allowed("the new repository, by hand", old, byHand, http.StatusNotFound)
		allowed("the renamed repository", "/api/v1.1/project/vcs_a/ada/renamed", token, http.StatusCreated)

		token = made()
		must(t, h.forge.Delete(t.Context(), second.ID, h.actor("ada")))
		if w := h.send("GET", "/api/v1.1/projects", "", token); w.Code != http.StatusUnauthorized {
			t.Errorf("a token outlived its repository: %d %s", w.Code, w.Body)
		}
		// An older repository that takes the name takes no tokens either.
		h.repo(t, "ada", "stoa", true)
		allowed("a third repository", old, token, http.StatusUnauthorized)
	})
}

// TestTokensOfARemovedMaker: a project's token is good while its maker administers the
// repository.
func TestTokensOfARemovedMaker(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		const path = "/api/v1.1/project/vcs_a/ada/stoa"
		repo := h.repo(t, "ada", "stoa", true)
		mal := h.actor("mal")
		member := func(p forge.Permission) {
			t.Helper()
			if _, err := h.forge.SetMember(t.Context(), repo.ID, mal, p, h.actor("ada")); err != nil {
				t.Fatal(err)
			}
		}
		member(forge.Admin)
		token := fmt.Sprint(h.json(t, "POST", path+"/token", `{"label":"x","scope":"all"}`, h.Token("mal"), 201)["token"])
		h.json(t, "POST", path+"/envvar", `{"name":"A","value":"12345678"}`, token, 201)
		member(forge.Read)
		if w := h.send("GET", path+"/envvar", "", token); w.Code != http.StatusNotFound {
			t.Errorf("the token of one who may only read: %d %s, want 404", w.Code, w.Body)
		}
		member(forge.Admin)
		if w := h.send("GET", path+"/envvar", "", token); w.Code != http.StatusOK {
			t.Errorf("of one who administers again: %d %s", w.Code, w.Body)
		}
	})
}

// TestPushMakesItsJobsOnce runs the row of a push twice, as happens after a
// crash between its commit and the queue's own.
func TestPushMakesItsJobsOnce(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "one")
		revision := h.until(t, r, 1, "success").Revision
		for range 2 {
			must(t, h.service.Pushed(t.Context(), "777", r.ID, "refs/heads/main", revision))
		}
		h.until(t, r, 2, "success")
		if b, err := h.service.Build(t.Context(), r, 3); err == nil {
			t.Errorf("the push made a job twice: %+v", b)
		}
		h.Clock.Advance(31 * 24 * time.Hour)
		must(t, h.service.Sweep(t.Context()))
		if n, err := h.service.Requests(t.Context()); err != nil || n != 0 {
			t.Errorf("%d requests are remembered for ever, %v", n, err)
		}
	})
}

// TestTokensNameTheirMaker: who lists the tokens of a project sees who made each.
func TestTokensNameTheirMaker(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		const path = "/api/v1.1/project/vcs_a/ada/stoa/token"
		repo := h.repo(t, "ada", "stoa", true)
		if _, err := h.forge.SetMember(t.Context(), repo.ID, h.actor("mal"), forge.Admin, h.actor("ada")); err != nil {
			t.Fatal(err)
		}
		for _, maker := range []string{"ada", "mal"} {
			made := h.json(t, "POST", path, `{"label":"of `+maker+`","scope":"status"}`, h.Token(maker), 201)
			if made["login"] != maker {
				t.Errorf("made by %s: %v", maker, made)
			}
		}
		w := h.send("GET", path, "", h.Token("ada"))
		var list []struct{ Label, Login string }
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || len(list) != 2 {
			t.Fatalf("the list: %d %s %v", w.Code, w.Body, err)
		}
		for _, token := range list {
			if token.Label != "of "+token.Login {
				t.Errorf("%+v, want the maker's name", token)
			}
		}
	})
}

// TestSignedOutputFollowsItsReader: the address of an output is good while the user whom it was made for may read the
// project.
func TestSignedOutputFollowsItsReader(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", true)
		h.push(t, r, "main", config(false, "keeper"), "one")
		h.until(t, r, 1, "success")
		mal := h.actor("mal")
		member := func(p forge.Permission) {
			t.Helper()
			if _, err := h.forge.SetMember(t.Context(), r.ID, mal, p, h.actor("ada")); err != nil {
				t.Fatal(err)
			}
		}
		output := func(token string) string {
			t.Helper()
			detail := h.json(t, "GET", "/api/v1.1/project/vcs_a/ada/stoa/1", "", token, 200)
			action := detail["steps"].([]any)[1].(map[string]any)["actions"].([]any)[0].(map[string]any)
			return strings.TrimPrefix(action["output_url"].(string), "http://stoa.test")
		}
		opens := func(what, address string, want int) {
			t.Helper()
			if w := h.send("GET", address, "", ""); w.Code != want {
				t.Errorf("%s: %d %s, want %d", what, w.Code, w.Body, want)
			}
		}
		member(forge.Admin)
		made := h.json(t, "POST", "/api/v1.1/project/vcs_a/ada/stoa/token", `{"label":"x","scope":"view-builds"}`,
			h.Token("mal"), 201)
		addresses := map[string]string{
			"a personal token": output(h.Token("mal")), "a project token": output(made["token"].(string)),
		}
		own := output(h.Token("ada"))
		leaked := h.Token("ada")
		revoked := output(leaked)
		opens("before its token is revoked", revoked, http.StatusOK)
		if err := h.Identity.RevokeSecret(t.Context(), pipelines.Name, leaked); err != nil {
			t.Fatal(err)
		}
		opens("of a revoked token", revoked, http.StatusUnauthorized)
		forged := strings.Replace(revoked, "signature=", "signature=0", 1)
		opens("with another signature", forged, http.StatusUnauthorized)
		for what, address := range addresses {
			opens("by "+what, address, http.StatusOK)
		}
		if err := h.forge.RemoveMember(t.Context(), r.ID, mal.ID); err != nil {
			t.Fatal(err)
		}
		for what, address := range addresses {
			opens("by "+what+", of one who was removed", address, http.StatusUnauthorized)
		}
		opens("of one who stayed", own, http.StatusOK)
		_, good, _ := strings.Cut(own, "signature=")
		before, other, _ := strings.Cut(addresses["a personal token"], "signature=")
		private, public := true, false
		show := func(private *bool) {
			t.Helper()
			if _, err := h.forge.Update(t.Context(), r.ID, forge.Change{Private: private}, h.actor("ada")); err != nil {
				t.Fatal(err)
			}
		}
		show(&public)
		everyones := output("")
		opens("of everybody, while the project is public", everyones, http.StatusOK)
		show(&private)
		opens("of everybody, of a project that is private now", everyones, http.StatusUnauthorized)
		opens("with another reader", before+"signature="+good[:16]+other[16:], http.StatusUnauthorized)
	})
}

// TestRevokedTokensAreNotListed: a token that ended without the project's knowledge is no token of it any more.
func TestRevokedTokensAreNotListed(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		const path = "/api/v1.1/project/vcs_a/ada/stoa/token"
		h.repo(t, "ada", "stoa", true)
		var first float64
		for _, label := range []string{"first", "second"} {
			made := h.json(t, "POST", path, `{"label":"`+label+`","scope":"status"}`, h.Token("ada"), 201)
			if label == "first" {
				first, _ = made["id"].(float64)
			}
		}
		must(t, h.Identity.RevokeToken(t.Context(), int64(first)))
		if w := h.send("GET", path, "", h.Token("ada")); strings.Contains(w.Body.String(), `"first"`) ||
			!strings.Contains(w.Body.String(), `"second"`) {
			t.Errorf("listed: %s, want the second alone", w.Body)
		}
		h.json(t, "DELETE", fmt.Sprint(path, "/", int64(first)), "", h.Token("ada"), 200)
	})
}

// TestTokensOfAProject: a project has a bounded number of tokens, each of which is looked up when they are listed.
func TestTokensOfAProject(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		const path, most = "/api/v1.1/project/vcs_a/ada/stoa/token", 100
		h.repo(t, "ada", "stoa", true)
		ada := h.Token("ada")
		var last float64
		for range most {
			last, _ = h.json(t, "POST", path, `{"label":"x","scope":"status"}`, ada, 201)["id"].(float64)
			h.Clock.Advance(time.Second)
		}
		h.json(t, "POST", path, `{"label":"x","scope":"status"}`, ada, 400)
		if w := h.send("DELETE", fmt.Sprintf("%s/%.0f", path, last), "", ada); w.Code != 200 {
			t.Fatalf("delete: %d %s", w.Code, w.Body)
		}
		h.json(t, "POST", path, `{"label":"x","scope":"status"}`, ada, 201)
	})
}

// TestEndedTokensDoNotCount: tokens that ended elsewhere are not listed, so they could not be deleted for others.
func TestEndedTokensDoNotCount(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		const path, most = "/api/v1.1/project/vcs_a/ada/stoa/token", 100
		h.repo(t, "ada", "stoa", true)
		ada := h.Token("ada")
		for n := range most {
			id, _ := h.json(t, "POST", path, `{"label":"x","scope":"status"}`, ada, 201)["id"].(float64)
			h.Clock.Advance(time.Second)
			if n > 0 {
				must(t, h.Identity.RevokeToken(t.Context(), int64(id)))
			}
		}
		h.json(t, "POST", path, `{"label":"y","scope":"status"}`, ada, 201)
		if w := h.send("GET", path, "", ada); strings.Count(w.Body.String(), `"label"`) != 2 {
			t.Errorf("listed: %s, want two tokens", w.Body)
		}
	})
}
