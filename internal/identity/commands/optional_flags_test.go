package commands_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity"
)

// fails runs a command that must be refused and returns the reason.
func (h *fixture) fails(path string, v values) string {
	h.t.Helper()
	out, err := h.run(path, v)
	if err == nil {
		h.t.Fatalf("%s %v = %v, want an error", path, v, out)
	}
	return err.Error()
}

// TestPages reads both lists page by page, and finds every row once and in order.
func TestPages(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		for n := range 5 {
			h.mustRun("user add", args(fmt.Sprintf("name=user%d", n)))
			h.mustRun("client add", args(fmt.Sprintf("name=tool%d type=device owner=user0", n)))
		}
		h.mustRun("client add", args("name=another type=device owner=user1"))
		read := func(path, list, key, extra string) (seen []string) {
			for after := ""; ; {
				page := h.mustRun(path, args("limit=2 after="+after+extra))[list].([]any)
				for _, row := range page {
					after = row.(map[string]any)[key].(string)
					seen = append(seen, after)
				}
				if len(page) < 2 {
					return seen
				}
			}
		}
		if got := read("user list", "users", "name", ""); fmt.Sprint(got) != "[user0 user1 user2 user3 user4]" {
			t.Errorf("users by pages: %v", got)
		}
		if got := read("client list", "clients", "client_id", ""); len(got) != 6 || !slices.IsSorted(got) {
			t.Errorf("applications by pages: %v", got)
		}
		if got := read("client list", "clients", "client_id", " owner=user0"); len(got) != 5 || !slices.IsSorted(got) {
			t.Errorf("applications of one owner by pages: %v", got)
		}
		h.fails("user list", args("after=missing"))
	})
}

func TestClientCommands(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		h.mustRun("user add", args("name=ada"))
		made := h.mustRun("client add", args("name=tool type=web redirect=https://a.example/ scope=storage.labels owner=ada"))
		id, secret := made["client_id"].(string), made["client_secret"].(string)
		h.mustRun("client add", args("name=other type=device"))
		if list := h.mustRun("client list", nil)["clients"].([]any); len(list) != 2 {
			t.Errorf("client list = %v, want two", list)
		}
		if list := h.mustRun("client list", args("owner=ada"))["clients"].([]any); len(list) != 1 {
			t.Errorf("client list of ada = %v, want one", list)
		}
		named := values{"client": {id}}
		shown := h.mustRun("client show", named)
		if shown["name"] != "tool" || fmt.Sprint(shown["redirects"]) != "[https://a.example/]" {
			t.Errorf("client show = %v", shown)
		}
		h.mustRun("client set", values{
			"client": {id}, "redirect": {"https://b.example/", "https://c.example/"}, "name": {"saw"},
		})
		shown = h.mustRun("client set", values{"client": {id}, "scope": {""}})
		if fmt.Sprint(shown["redirects"]) != "[https://b.example/ https://c.example/]" || shown["name"] != "saw" ||
			fmt.Sprint(shown["scopes"]) != "[]" {
			t.Errorf("client set = %v", shown)
		}
		for _, wrong := range []values{
			{"client": {id}, "redirect": {"http://b.example/"}}, {"client": {id}, "scope": {"vault"}},
			{"client": {id}, "internal": {"yes"}}, {"client": {id}, "name": {""}}, {"client": {"x"}, "name": {"y"}},
		} {
			h.fails("client set", wrong)
		}
		fresh := h.mustRun("client secret", named)["client_secret"].(string)
		client, err := h.Identity.Client(t.Context(), id)
		must(t, err)
		if client.HasSecret(secret) || !client.HasSecret(fresh) || !client.HasRedirect("https://c.example/") {
			t.Error("the old secret is good, or the new one or the address is not")
		}
		h.mustRun("client remove", named)
		for _, path := range []string{"client show", "client secret", "client remove"} {
			if reason := h.fails(path, named); !strings.Contains(reason, id) {
				t.Errorf("%s: %s", path, reason)
			}
		}
	})
}

func TestOrgAndTeamCommands(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		h.mustRun("user add", args("name=ada"))
		h.mustRun("user add", args("name=bob"))
		h.mustRun("org add", args("name=acme"))
		h.mustRun("org member add", args("org=acme user=ada role=owner"))
		if o := h.mustRun("org set", args("org=acme enterprise=yes")); o["enterprise"] != true {
			t.Errorf("org set = %v", o)
		}
		if o := h.mustRun("org show", args("org=acme")); o["enterprise"] != true || len(o["members"].([]any)) != 1 {
			t.Errorf("org show = %v", o)
		}
		if list := h.mustRun("org list", nil)["orgs"].([]any); len(list) != 1 {
			t.Errorf("org list = %v", list)
		}
		h.fails("org show", args("org=nothing"))
		client := h.mustRun("client add", args("name=app type=device"))["client_id"].(string)
		h.mustRun("org approve", args("org=acme client="+client))
		h.mustRun("org forbid", args("org=acme scope=storage.labels"))
		if o := h.mustRun("org show", args("org=acme")); !slices.Equal(o["approved"].([]any), []any{client}) ||
			len(o["forbidden"].([]any)) != 1 {
			t.Errorf("org show = %v", o)
		}
		_, err := h.run("org approve", args("org=acme client=nosuch"))
		if err == nil || !strings.Contains(err.Error(), `there is no client "nosuch"`) {
			t.Errorf("org approve of no client: %v", err)
		}

		h.mustRun("team add", args("name=lyceum owner=ada"))
		if team := h.mustRun("team member add", args("team=lyceum user=bob role=admin")); len(team["members"].([]any)) != 2 {
			t.Errorf("team member add = %v", team)
		}
		if reason := h.fails("team member remove", args("team=lyceum user=ada")); !strings.Contains(reason, "owner") {
			t.Errorf("removing the last owner: %s", reason)
		}
		h.mustRun("team member remove", args("team=lyceum user=bob"))
		team := h.mustRun("team set", args("team=lyceum title=Lyceum sso-only=yes active=no"))
		if team["title"] != "Lyceum" || team["sso_only"] != true || team["active"] != false {
			t.Errorf("team set = %v", team)
		}
		if team = h.mustRun("team show", args("team=lyceum")); team["active"] != false || len(team["members"].([]any)) != 1 {
			t.Errorf("team show = %v", team)
		}
		if list := h.mustRun("team list", nil)["teams"].([]any); len(list) != 1 {
			t.Errorf("team list = %v", list)
		}
		u := h.mustRun("user show", args("name=ada"))
		if fmt.Sprint(u["teams"]) != "[lyceum]" || len(u["orgs"].([]any)) != 1 {
			t.Errorf("user show = %v", u)
		}
		u = h.mustRun("user set", args("name=ada email=ada@example.com display-name=Ada admin=yes"))
		if u["email"] != "ada@example.com" || u["display_name"] != "Ada" || u["admin"] != true {
			t.Errorf("user set = %v", u)
		}
		first := h.mustRun("user list", nil)["users"].([]any)[0].(map[string]any)
		if first["email"] != "ada@example.com" || fmt.Sprint(first["orgs"]) != fmt.Sprint(u["orgs"]) ||
			len(first["orgs"].([]any)) != 1 {
			t.Errorf("user list = %v, want the address and the organization", first)
		}
		if reason := h.fails("user set", args("name=ada admin=no")); !strings.Contains(reason, "administrator") {
			t.Errorf("demoting the last administrator: %s", reason)
		}
		h.mustRun("user set", args("name=bob admin=yes"))
		if u = h.mustRun("user set", args("name=ada admin=no")); u["admin"] != false || u["display_name"] != "Ada" {
			t.Errorf("user set = %v, want the rest to stay", u)
		}
		h.fails("user set", args("name=ada email=nonsense"))
		h.fails("user show", args("name=carl"))
	})
}

func TestUserImport(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		file := filepath.Join(t.TempDir(), "users.csv")
		load := func(text string) (map[string]any, error) {
			must(t, os.WriteFile(file, []byte(text), 0o600))
			return h.run("user import", values{"file": {file}})
		}
		const users = "\ufeffname,display_name,email,password,admin\n" +
			"ada,Ada L.,ada@example.com,a long password,yes\nbob,,,,\n"
		made, err := load(users)
		must(t, err)
		added := made["added"].([]any)
		if len(added) != 2 || added[0].(map[string]any)["password"] != nil {
			t.Fatalf("added = %v, want two, and no password repeated", added)
		}
		_, err = h.Identity.CheckPassword(t.Context(), "bob", added[1].(map[string]any)["password"].(string))
		must(t, err)
		ada, err := h.Identity.CheckPassword(t.Context(), "ada", "a long password")
		must(t, err)
		if !ada.Admin || ada.DisplayName != "Ada L." || ada.Email != "ada@example.com" {
			t.Errorf("ada = %+v", ada)
		}
		again, err := load(users)
		must(t, err)
		if len(again["added"].([]any)) != 0 || len(again["skipped"].([]any)) != 2 {
			t.Errorf("the same file again = %v, want both skipped", again)
		}
		semicolons, err := load("\ufeffname;display_name;password\r\ndora;\"Dora, K.\";a long; one\r\n")
		if err == nil || !strings.Contains(err.Error(), "wrong number of fields") {
			t.Errorf("a semicolon too many: %v, %v", semicolons, err)
		}
		_, err = load("\ufeffname;display_name;password\r\ndora;Dora, K.;\"a long; one\"\r\n")
		must(t, err)
		dora, err := h.Identity.CheckPassword(t.Context(), "dora", "a long; one")
		must(t, err)
		if dora.DisplayName != "Dora, K." {
			t.Errorf("dora = %+v, want a comma in the name", dora)
		}
		for name, text := range map[string]string{
			"nothing": "", "no name": "email\nx@example.com\n", "another column": "name,shoe\ncarl,9\n",
			"a bad name": "name\ncarl\nno good\n", "a bad mail": "name,email\ncarl,nonsense\n",
			"a short password": "name,password\ncarl,x\n", "a word": "name,admin\ncarl,perhaps\n",
			"a short line": "name,email\ncarl\n",
		} {
			if out, err := load(text); err == nil {
				t.Errorf("%s: %v, want to be refused", name, out)
			}
		}
		if _, err := h.Identity.UserByName(t.Context(), "carl"); err == nil {
			t.Error("a file with a mistake added a user")
		}
		if _, err := h.run("user import", values{"file": {file + "x"}}); err == nil {
			t.Error("a missing file was imported")
		}
		_, err = h.Identity.UserByName(t.Context(), "ada")
		must(t, err)
	})
}

// What a client was changed to holds at once.
func TestAChangedClient(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		made := h.mustRun("client add", args("name=tool type=web redirect=https://a.example/"))
		id := made["client_id"].(string)
		before, err := h.Identity.Client(t.Context(), id)
		must(t, err)
		if !before.HasRedirect("https://a.example/") {
			t.Fatal("the address is not registered")
		}
		other := []string{"https://b.example/"}
		_, err = h.Identity.UpdateClient(t.Context(), id, identity.ClientChange{RedirectURIs: &other})
		must(t, err)
		after, err := h.Identity.Client(t.Context(), id)
		must(t, err)
		if after.HasRedirect("https://a.example/") || after.HasRedirect("") {
			t.Error("the old address is still taken")
		}
	})
}
