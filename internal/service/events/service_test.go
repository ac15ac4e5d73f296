package events_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/events"
)

// testServer is a world with a forge and the service.
type testServer struct {
	*identitytest.Server
	service *events.Service
	forge   *forge.Forge
}

// run opens a server on each database.
func run(t *testing.T, c events.Config, fn func(t *testing.T, h *testServer)) {
	t.Helper()
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		fn(t, open(t, "", c))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		fn(t, open(t, databasetest.PostgresURL(t), c))
	})
}

func open(t testing.TB, url string, c events.Config) *testServer {
	t.Helper()
	h := &testServer{}
	h.Server = identitytest.Open(t, func(w *world.World, idents *identity.Identity) module.Module {
		h.forge = forge.New(w, idents, forge.DefaultConfig())
		h.service = events.New(w, idents, grants.New(w, idents), h.forge, c)
		repositories := h.forge.Module()
		migrations := append(world.Migrations(), identity.Migrations(), repositories.Migrations)
		if err := w.DB.Migrate(t.Context(), migrations...); err != nil {
			t.Fatalf("migrate the forge: %v", err)
		}
		w.Jobs.Register(repositories.Jobs...)
		return h.service.Module()
	}, url)
	return h
}

func (h *testServer) actor(name string) forge.Actor {
	u := h.User(name)
	return forge.Actor{ID: u.ID, Name: u.Name}
}

func (h *testServer) repo(t testing.TB, owner, name string, private bool) forge.Repository {
	t.Helper()
	h.User(owner)
	r, err := h.forge.Create(t.Context(), forge.NewRepository{
		Owner: owner, Name: name, Private: private, Actor: h.actor(owner),
	})
	if err != nil {
		t.Fatalf("create %s/%s: %v", owner, name, err)
	}
	return r
}

func (h *testServer) star(t testing.TB, r forge.Repository, user forge.Actor) string {
	t.Helper()
	e, err := h.service.Add(t.Context(), r, events.TypeWatch, user, json.RawMessage(`{"action":"started"}`))
	if err != nil {
		t.Fatalf("add an event: %v", err)
	}
	return strconv.FormatInt(e.ID, 10)
}

func (h *testServer) get(path, token string, header ...string) *httptest.ResponseRecorder {
	if token != "" {
		header = append(header, "Authorization: Bearer "+token)
	}
	return h.Call(http.MethodGet, path, "", header...)
}

func idsOf(t testing.TB, w *httptest.ResponseRecorder) []string {
	t.Helper()
	var list []struct{ ID, Type string }
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || w.Code != http.StatusOK {
		t.Fatalf("status %d, body %s: %v", w.Code, w.Body, err)
	}
	var all []string
	for _, e := range list {
		all = append(all, e.ID)
	}
	return all
}

// TestVisibility is the matrix of who sees what of a public and a private
// repository of a user and of an organization.
func TestVisibility(t *testing.T) {
	run(t, events.DefaultConfig(), func(t *testing.T, h *testServer) {
		org, err := h.Identity.AddOrg(t.Context(), "lyceum", false)
		if err != nil {
			t.Fatal(err)
		}
		for name, role := range map[string]identity.OrgRole{"ada": identity.OrgOwner, "grace": identity.OrgMember} {
			if err := h.Identity.SetOrgMember(t.Context(), org.ID, h.User(name).ID, role); err != nil {
				t.Fatal(err)
			}
		}
		h.repo(t, "ada", "open", false)
		secret := h.repo(t, "ada", "secret", true)
		for _, private := range []bool{false, true} {
			name := map[bool]string{false: "open", true: "secret"}[private]
			repo := forge.NewRepository{Owner: "lyceum", Name: name, Private: private, Actor: h.actor("ada")}
			if _, err := h.forge.Create(t.Context(), repo); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := h.forge.SetMember(t.Context(), secret.ID, h.actor("mel"), forge.Read, h.actor("ada")); err != nil {
			t.Fatal(err)
		}
		tokens := map[string]string{"anonymous": ""}
		for _, name := range []string{"ada", "grace", "mel", "zeno"} {
			tokens[name] = h.Token(name)
		}
		for _, row := range []struct {
			path string
			// may are those who see it; the others get 404.
			may string
		}{
			{"/repos/ada/open/events", "anonymous ada grace mel zeno"},
			{"/repos/ada/secret/events", "ada mel"},
			{"/networks/ada/secret/events", "ada mel"},
			{"/repos/ada/secret", "ada mel"},
			{"/repos/lyceum/open/events", "anonymous ada grace mel zeno"},
			{"/repos/lyceum/secret/events", "ada grace"},
			{"/repositories/" + strconv.FormatInt(secret.ID, 10) + "/events", "ada mel"},
			{"/users/grace/events/orgs/lyceum", "grace"},
		} {
			for name, token := range tokens {
				want := http.StatusNotFound
				if strings.Contains(" "+row.may+" ", " "+name+" ") {
					want = http.StatusOK
				} else if name == "anonymous" && strings.Contains(row.path, "/orgs/") {
					want = http.StatusUnauthorized
				}
				if w := h.get(row.path, token); w.Code != want {
					t.Errorf("%s asks for %s: got %d, want %d: %s", name, row.path, w.Code, want, w.Body)
				}
			}
		}
		for _, path := range []string{
			"/events?per_page=100", "/orgs/lyceum/events", "/users/ada/events", "/users/ada/received_events",
		} {
			if w := h.get(path, tokens["zeno"]); strings.Contains(w.Body.String(), "/secret") {
				t.Errorf("%s shows another user a private repository: %s", path, w.Body)
			}
		}
	})
}

// TestTokensOfARepository do nothing in the name of the user who had them issued.
func TestTokensOfARepository(t *testing.T) {
	run(t, events.DefaultConfig(), func(t *testing.T, h *testServer) {
		org, err := h.Identity.AddOrg(t.Context(), "lyceum", false)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Identity.SetOrgMember(t.Context(), org.ID, h.User("ada").ID, identity.OrgOwner); err != nil {
			t.Fatal(err)
		}
		h.repo(t, "ada", "job", true)
		h.repo(t, "ada", "secret", true)
		for kind, write := range map[identity.Kind]int{
			identity.KindWorkflow: http.StatusCreated, identity.KindProject: http.StatusForbidden,
		} {
			token := "Authorization: Bearer " + h.Issue(identity.IssueOptions{
				Kind: kind, Services: []string{events.Name}, UserID: h.User("ada").ID, Repo: "ada/job",
				Scopes: []string{
					forge.ScopeMetadataRead, forge.ScopeAdministration, forge.ScopeStarring,
					events.ScopeEventsRead, events.ScopeEventsWrite, events.ScopeOrgEventsRead,
				},
			})
			for _, row := range []struct {
				method, path, body string
				want               int
			}{
				{"GET", "/repos/ada/job/events", "", http.StatusOK},
				{"POST", "/repos/ada/job/events", `{"type":"PublicEvent"}`, write},
				{"GET", "/repos/ada/secret/events", "", http.StatusNotFound},
				{"GET", "/users/ada/events/orgs/lyceum", "", http.StatusForbidden},
				{"POST", "/user/repos", `{"name":"more"}`, http.StatusForbidden},
				{"POST", "/orgs/lyceum/repos", `{"name":"more"}`, http.StatusNotFound},
				{"POST", "/repos/ada/job/forks", `{"organization":"lyceum"}`, http.StatusForbidden},
				{"POST", "/repos/ada/job/forks", "", http.StatusForbidden},
				{"PUT", "/user/starred/ada/job", "", http.StatusForbidden},
				{"PATCH", "/repos/ada/job", `{"private":false}`, http.StatusForbidden},
				{"DELETE", "/repos/ada/job", "", http.StatusForbidden},
			} {
				if w := h.Call(row.method, row.path, row.body, token); w.Code != row.want {
					t.Errorf("%s: %s %s %s: got %d %s, want %d", kind, row.method, row.path, row.body, w.Code, w.Body,
						row.want)
				}
			}
			for _, path := range []string{"/users/ada/events", "/users/ada/received_events"} {
				w := h.Call("GET", path, "", token)
				if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "ada/secret") {
					t.Errorf("%s: %s shows private events: %s", kind, path, w.Body)
				}
			}
		}
	})
}

// TestPrivateHides shows that events leave public feeds with their repository.
func TestPrivateHides(t *testing.T) {
	run(t, events.DefaultConfig(), func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "open", false)
		token := h.Token("zeno")
		tag := h.get("/events", token).Header().Get("Etag")
		private := true
		if _, err := h.forge.Update(t.Context(), r.ID, forge.Change{Private: &private}, h.actor("ada")); err != nil {
			t.Fatal(err)
		}
		if w := h.get("/events", token, "If-None-Match: "+tag); w.Code != http.StatusOK || w.Body.String() != "[]" {
			t.Errorf("got %d %s, want an empty list", w.Code, w.Body)
		}
		if got := idsOf(t, h.get("/repos/ada/open/events", h.Token("ada"))); len(got) != 1 {
			t.Errorf("the owner sees %v, want one event", got)
		}
		private = false
		if _, err := h.forge.Update(t.Context(), r.ID, forge.Change{Private: &private}, h.actor("ada")); err != nil {
			t.Fatal(err)
		}
		if got := idsOf(t, h.get("/repos/ada/open/events", token)); len(got) != 1 {
			t.Errorf("another user sees %v, want the PublicEvent alone", got)
		}
		if got := idsOf(t, h.get("/repos/ada/open/events", h.Token("ada"))); len(got) != 2 {
			t.Errorf("the owner sees %v, want both events", got)
		}
	})
}

func TestVersions(t *testing.T) {
	t.Parallel()
	h := open(t, "", events.DefaultConfig())
	r := h.repo(t, "ada", "open", false)
	payload := `{"action":"opened","issue":{"id":1,"number":2,"title":"t","user":{},"assignee":{"login":"x"}}}`
	if _, err := h.service.Add(t.Context(), r, "IssuesEvent", h.actor("ada"), json.RawMessage(payload)); err != nil {
		t.Fatal(err)
	}
	const header = "X-Vendor-Api-Version: "
	if w := h.get("/events", "", header+"2022-11-28"); !strings.Contains(w.Body.String(), "assignee") {
		t.Errorf("2022: %s", w.Body)
	}
	later := h.get("/events", "", header+"2026-03-10").Body.String()
	if strings.Contains(later, "assignee") || !strings.Contains(later, `"title":"t"`) {
		t.Errorf("2026: %s", later)
	}
	if w := h.get("/rate_limit", "", header+"2026-03-10"); strings.Contains(w.Body.String(), `"rate":`) {
		t.Errorf("2026: %s", w.Body)
	}
	if w := h.get("/versions", ""); strings.TrimSpace(w.Body.String()) != `["2022-11-28","2026-03-10"]` {
		t.Errorf("versions: %s", w.Body)
	}
	h.Clock.Set(identitytest.Start().AddDate(1, 6, 0))
	last := h.get("/events", "").Header()
	if last.Get("Sunset") == "" || last.Get("X-Vendor-Api-Version-Selected") != "2022-11-28" {
		t.Errorf("half a year before the end: %v", last)
	}
	h.Clock.Set(identitytest.Start().AddDate(3, 0, 0))
	if w := h.get("/events", "", header+"2022-11-28"); w.Code != http.StatusGone {
		t.Errorf("after the end: %d", w.Code)
	}
	if w := h.get("/events", ""); w.Header().Get("X-Vendor-Api-Version-Selected") != "2026-03-10" {
		t.Errorf("without a version: %v", w.Header())
	}
}

func TestPollIntervalGrows(t *testing.T) {
	t.Parallel()
	c := events.DefaultConfig()
	c.EasyRate, c.Limits.User, c.Limits.Points = 1, 100_000, 100_000
	h := open(t, "", c)
	token := h.Token("ada")
	if got := h.get("/events", token).Header().Get("X-Poll-Interval"); got != "60" {
		t.Errorf("at ease: got %s, want 60", got)
	}
	for range 40 {
		h.get("/events", token)
	}
	h.Clock.Advance(10e9)
	if got := h.get("/events", token).Header().Get("X-Poll-Interval"); got != "240" {
		t.Errorf("at four times the easy rate: got %s, want 240", got)
	}
	h.Clock.Advance(100e9)
	if got := h.get("/events", token).Header().Get("X-Poll-Interval"); got != "60" {
		t.Errorf("at ease again: got %s, want 60", got)
	}
}

func TestPayloads(t *testing.T) {
	t.Parallel()
	good := map[events.Type]string{
		"PublicEvent": `{}`, "WatchEvent": `{"action":"started"}`,
		"GollumEvent": `{"pages":[{"page_name":"a","title":"a","action":"created","sha":"1","html_url":"u"}]}`,
		"PullRequestEvent": `{"action":"opened","number":1,` +
			`"pull_request":{"id":1,"number":1,"url":"u","head":{},"base":{}}}`,
		"CreateEvent": `{"ref":null,"ref_type":"repository","full_ref":null,` +
			`"master_branch":"main","pusher_type":"user"}`,
		"ReleaseEvent": `{"action":"published",` +
			`"release":{"id":1,"tag_name":"v1","draft":false,"prerelease":false}}`,
	}
	for kind, payload := range good {
		if err := events.CheckPayload(kind, []byte(payload)); err != nil {
			t.Errorf("%s %s: %v", kind, payload, err)
		}
	}
	if n := len(events.Types()); n < 15 {
		t.Errorf("%d types", n)
	}
	for _, kind := range events.Types() {
		if kind == "PublicEvent" {
			continue
		}
		for _, payload := range []string{
			`{}`, `[]`, `null`, `{"action":"nonsense"}`, `{"action":1}`, ``, `{"action":"started"`,
		} {
			if err := events.CheckPayload(kind, []byte(payload)); err == nil {
				t.Errorf("%s takes %s", kind, payload)
			}
		}
	}
	if err := events.CheckPayload("NoEvent", []byte(`{}`)); err == nil {
		t.Error("an unknown type is taken")
	}
}
