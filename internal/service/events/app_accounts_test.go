package events_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
)

// TestAppAccounts: what an app does with its tokens is done by slug[bot], an account with a number and a page of its
// own; no other name with that suffix is an account.
func TestAppAccounts(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		repo := h.repo(t, "ada", "open", false)
		app := h.addApp(t, "Hall Keeper", "ada", "issues:write", "contents:write")
		jwt := app.token(t, h.Clock.Now())
		made := h.do(t, jwt, "POST", fmt.Sprintf("/app/installations/%d/access_tokens", app.InstallationID), "", 201)
		token := made["token"].(string)

		bot := h.do(t, token, "GET", "/users/hall-keeper%5Bbot%5D", "", 200)
		id := bot["id"].(float64)
		for name, want := range map[string]any{
			"login": "hall-keeper[bot]", "type": "Bot", "html_url": "http://stoa.test/apps/hall-keeper",
			"url": "http://stoa.test/users/hall-keeper%5Bbot%5D",
		} {
			if bot[name] != want {
				t.Errorf("%s of the account is %v, want %v", name, bot[name], want)
			}
		}
		if int64(id) != forge.BotID(app.AppID) || h.Call("GET", path(t, bot["avatar_url"]), "").Code != 200 {
			t.Errorf("the account is %v", bot)
		}
		if again := h.do(t, token, "GET", "/users/hall-keeper[bot]", "", 200); again["id"] != id {
			t.Errorf("the account has the number %v, then %v", id, again["id"])
		}
		h.checkActs(t, token, repo, bot)
		h.checkAppPage(t, path(t, bot["html_url"]))

		byKey, byName := h.do(t, jwt, "GET", "/app", "", 200), h.do(t, token, "GET", "/apps/hall-keeper", "", 200)
		delete(byKey, "installations_count")
		if diff := cmp.Diff(byKey, byName); diff != "" || byName["html_url"] != bot["html_url"] {
			t.Errorf("/app and /apps/SLUG differ: %s", diff)
		}
		for _, name := range []string{
			"0123456789ab[bot]", app.ClientID[:12] + "[bot]", "a[bot]", "[bot]", "Hall-Keeper[bot]", "1[bot]", "ada[bot]",
		} {
			if got := h.get("/users/"+url.PathEscape(name), token); got.Code != 404 {
				t.Errorf("%s is an account: %d %s", name, got.Code, got.Body)
			}
		}
		for _, name := range []string{"Hall keeper!", "workflow"} {
			values := map[string][]string{"name": {name}, "owner": {"ada"}}
			if err := h.command(t, "app add", values, new(testApp)); err == nil {
				t.Errorf("%s: the slug is given twice", name)
			}
		}
	})
}

func path(t testing.TB, address any) string {
	t.Helper()
	text, _ := address.(string)
	rest, ok := strings.CutPrefix(text, "http://stoa.test")
	if !ok {
		t.Fatalf("%v is not an address of the server", address)
	}
	return rest
}

// checkActs: issues, comments and events carry the account.
func (h *testServer) checkActs(t testing.TB, token string, repo forge.Repository, bot map[string]any) {
	t.Helper()
	issue := h.do(t, token, "POST", "/repos/"+repo.FullName()+"/issues", `{"title":"Shade"}`, 201)
	comment := h.do(t, token, "POST", path(t, issue["comments_url"]), `{"body":"b"}`, 201)
	for what, made := range map[string]map[string]any{"issue": issue, "comment": comment} {
		user, _ := made["user"].(map[string]any)
		if user["login"] != bot["login"] || user["id"] != bot["id"] || user["type"] != "Bot" ||
			user["html_url"] != bot["html_url"] {
			t.Errorf("the %s is by %v", what, user)
		}
	}
	if own := h.do(t, token, "PATCH", path(t, comment["url"]), `{"body":"c"}`, 200); own["body"] != "c" {
		t.Errorf("its own comment is %v", own)
	}
	for _, feed := range []string{"/repos/" + repo.FullName() + "/events", "/users/hall-keeper%5Bbot%5D/events"} {
		var list []map[string]any
		if err := json.Unmarshal(h.get(feed, token).Body.Bytes(), &list); err != nil || len(list) == 0 {
			t.Errorf("%s: %v, %v", feed, list, err)
			continue
		}
		actor := list[0]["actor"].(map[string]any)
		if actor["login"] != bot["login"] || actor["id"] != bot["id"] || actor["url"] != bot["url"] ||
			actor["display_login"] != "hall-keeper" {
			t.Errorf("%s: the actor is %v", feed, actor)
		}
	}
}

// checkAppPage: a browser sees a page where programs read the app.
func (h *testServer) checkAppPage(t testing.TB, page string) {
	t.Helper()
	var anonymous *identity.User
	h.Identity.ProvidePages(barePages(&anonymous))
	ask := func(page string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", "http://stoa.test"+page, nil)
		r.Header.Set("Accept", "text/html,*/*")
		return h.Do(r)
	}
	if got := ask(page); got.Code != 200 || !strings.Contains(got.Body.String(), "Hall Keeper</h1>") {
		t.Errorf("the page: %d %s", got.Code, got.Body)
	}
	if got := ask("/apps/none"); got.Code != 404 {
		t.Errorf("the page of no app: %d", got.Code)
	}
}

// TestAdoptedApps: a client that the operator issues installation tokens for becomes an app, with a slug of its own.
func TestAdoptedApps(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		addOrg(t, h, "lyceum", "ada")
		org, err := h.Identity.OrgByName(t.Context(), "lyceum")
		if err != nil {
			t.Fatal(err)
		}
		h.addApp(t, "Keeper", "ada")
		for _, want := range []string{"keeper-2[bot]", "keeper-3[bot]"} {
			client, _, err := h.Identity.AddClient(t.Context(), identity.NewClient{
				Name: "Keeper", Type: identity.ClientApp, OrgID: org.ID,
			})
			if err != nil {
				t.Fatal(err)
			}
			_, secret, err := h.Identity.IssueToken(t.Context(), identity.IssueOptions{
				Kind: identity.KindInstallation, Services: []string{"events"}, Scopes: []string{forge.ScopeMetadataRead},
				ClientID: client.ID, OrgID: org.ID,
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := h.do(t, secret, "GET", "/users/"+url.PathEscape(want), "", 200); got["type"] != "Bot" {
				t.Errorf("%s is %v", want, got)
			}
			h.do(t, secret, "GET", "/apps/"+strings.TrimSuffix(want, "[bot]"), "", 200)
		}
	})
}
