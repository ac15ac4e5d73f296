package forge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
)

// grantSet is what a credential was issued with.
type grantSet struct {
	name     string
	services []string
	scopes   []string
}

// grantSets are scopes alone and together, of one service, of several, of all.
func grantSets() []grantSet {
	events, pipelines, tasks, every := []string{"events"}, []string{"pipelines"}, []string{"tasks"}, []string{"*"}
	return []grantSet{
		{"events:", events, nil},
		{"events: metadata:read", events, []string{"metadata:read"}},
		{"events: contents:read", events, []string{"contents:read"}},
		{"events: contents:write", events, []string{"contents:write"}},
		{"events: both contents", events, []string{"contents:read", "contents:write"}},
		{"events: administration:write", events, []string{"administration:write"}},
		{"events: events:read", events, []string{"events:read"}},
		{"pipelines:", pipelines, nil},
		{"pipelines: status", pipelines, []string{"status"}},
		{"pipelines: view-builds", pipelines, []string{"view-builds"}},
		{"pipelines: status view-builds", pipelines, []string{"status", "view-builds"}},
		{"pipelines: all", pipelines, []string{"all"}},
		{"tasks: tasks.readonly", tasks, []string{"tasks.readonly"}},
		{"labels:", []string{"labels"}, nil},
		{"events tasks: tasks.readonly", []string{"events", "tasks"}, []string{"tasks.readonly"}},
		{
			"events tasks: contents:read tasks.readonly",
			[]string{"events", "tasks"}, []string{"contents:read", "tasks.readonly"},
		},
		{"pipelines kms: kms status", []string{"pipelines", "kms"}, []string{"kms", "status"}},
		{"events pipelines: status", []string{"events", "pipelines"}, []string{"status"}},
		{"events pipelines: contents:read all", []string{"events", "pipelines"}, []string{"contents:read", "all"}},
		{"events pipelines: contents:write status", []string{"events", "pipelines"}, []string{"contents:write", "status"}},
		{"*:", every, nil},
		{"*: tasks.readonly", every, []string{"tasks.readonly"}},
		{"*: kms status", every, []string{"kms", "status"}},
		{"*: metadata:read", every, []string{"metadata:read"}},
		{"*: view-builds", every, []string{"view-builds"}},
		{"*: all", every, []string{"all"}},
		{"*: contents:read", every, []string{"contents:read"}},
		{"*: contents:write", every, []string{"contents:write"}},
	}
}

// credentialKinds is the order of the letters in grantedRights.
func credentialKinds() []identity.Kind {
	return []identity.Kind{
		identity.KindPersonal, identity.KindAccess, identity.KindProject, identity.KindWorkflow, identity.KindInstallation,
		identity.KindRefresh, identity.KindAPI, identity.KindApplication, identity.KindClient,
	}
}

// grantedRights says for every set of grants what a credential of each kind
// allows: - nothing, r fetch, w push, x that it is not accepted at all.
func grantedRights() map[string]string {
	return map[string]string{
		"events:":                                    "-----xxxx",
		"events: metadata:read":                      "-----xxxx",
		"events: contents:read":                      "rrrrrxxxx",
		"events: contents:write":                     "wwwwwxxxx",
		"events: both contents":                      "wwwwwxxxx",
		"events: administration:write":               "-----xxxx",
		"events: events:read":                        "-----xxxx",
		"pipelines:":                                 "-----xxxx",
		"pipelines: status":                          "-----xxxx",
		"pipelines: view-builds":                     "rrrrrxxxx",
		"pipelines: status view-builds":              "rrrrrxxxx",
		"pipelines: all":                             "wrrrrxxxx",
		"tasks: tasks.readonly":                      "xxxxxxxxx",
		"labels:":                                    "xxxxxxxxx",
		"events tasks: tasks.readonly":               "-----xxxx",
		"events tasks: contents:read tasks.readonly": "rrrrrxxxx",
		"pipelines kms: kms status":                  "-----xxxx",
		"events pipelines: status":                   "-----xxxx",
		"events pipelines: contents:read all":        "wrrrrxxxx",
		"events pipelines: contents:write status":    "wwwwwxxxx",
		"*:":                "-----xxxx",
		"*: tasks.readonly": "-----xxxx",
		"*: kms status":     "-----xxxx",
		"*: metadata:read":  "-----xxxx",
		"*: view-builds":    "rrrrrxxxx",
		"*: all":            "wrrrrxxxx",
		"*: contents:read":  "rrrrrxxxx",
		"*: contents:write": "wwwwwxxxx",
	}
}

// accessRepositories is the order of the letters in expectedAccess. ada is the user
// behind every credential, owns lyceum, is a member of acme and a collaborator
// of two repositories of bob. Tokens of one repository belong to ada/private,
// the installation is acme's.
func accessRepositories() []string {
	return []string{
		"ada/public", "ada/private", "bob/public", "bob/private", "bob/shared-read", "bob/shared-write",
		"acme/public", "acme/private", "lyceum/private", "ada/absent", "nowhere/absent",
	}
}

// expectedAccess says for a kind and what its credential allows what happens at
// each repository.
func expectedAccess() map[string]string {
	refused := strings.Repeat("x", len(accessRepositories()))
	none, read, write := "r-r---r----", "rrr-rrrrr--", "wwr-rwrrw--"
	return map[string]string{
		"none -":     none,
		"personal -": none, "personal r": read, "personal w": write,
		"access -": none, "access r": read, "access w": write,
		"project -": none, "project r": "rrr---r----", "project w": "rrr---r----",
		"workflow -": none, "workflow r": "rrr---r----", "workflow w": "rwr---r----",
		"installation -": none, "installation r": "r-r---rr---", "installation w": "r-r---ww---",
		"personal x": refused, "access x": refused, "project x": refused, "workflow x": refused, "installation x": refused,
		"refresh x": refused, "api x": refused, "application x": refused, "client x": refused,
	}
}

// expectedStatus are the answers to info/refs for a fetch and a push, upload-pack
// and receive-pack. The last two send no git request, so 415 means admitted.
func expectedStatus() map[string][4]int {
	return map[string][4]int{
		"r": {200, 403, 415, 403}, "w": {200, 200, 415, 415}, "-": {404, 404, 404, 404}, "x": {401, 401, 401, 401},
		"anonymous r": {200, 401, 415, 401}, "anonymous -": {401, 401, 401, 401},
	}
}

// openAccessServer makes the repositories of accessRepositories. The git program is one
// that does nothing: only the decision is looked at.
func openAccessServer(t *testing.T) (h *testServer, app string) {
	t.Helper()
	config := forge.DefaultConfig()
	config.Git, config.Requests = "true", 1<<30
	h = open(t, "", config)
	for service, scopes := range map[string][]module.Scope{
		"events": {
			{Name: "metadata:read"}, {Name: "contents:read"}, {Name: "contents:write"},
			{Name: "administration:write"}, {Name: "events:read"},
		},
		"pipelines": {{Name: "status"}, {Name: "view-builds"}, {Name: "all"}},
		"tasks":     {{Name: "tasks"}, {Name: "tasks.readonly"}},
		"kms":       {{Name: "kms"}},
	} {
		h.Identity.Register(module.Module{Name: service, Scopes: scopes})
	}
	h.User("bob")
	bob, err := h.forge.UserActor(t.Context(), "bob")
	if err != nil {
		t.Fatal(err)
	}
	for name, role := range map[string]identity.OrgRole{"acme": identity.OrgMember, "lyceum": identity.OrgOwner} {
		org, err := h.Identity.AddOrg(t.Context(), name, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Identity.SetOrgMember(t.Context(), org.ID, h.ada.ID, role); err != nil {
			t.Fatal(err)
		}
		if name == "acme" {
			client, _, err := h.Identity.AddClient(t.Context(), identity.NewClient{
				Name: "app", Type: identity.ClientApp, OrgID: org.ID,
			})
			if err != nil {
				t.Fatal(err)
			}
			app = client.ID
		}
	}
	for _, address := range accessRepositories() {
		owner, name, _ := strings.Cut(address, "/")
		if name == "absent" {
			continue
		}
		r := h.create(t, forge.NewRepository{Owner: owner, Name: name, Private: name != "public", Actor: bob})
		permission, shared := map[string]forge.Permission{"shared-read": forge.Read, "shared-write": forge.Write}[name]
		if !shared {
			continue
		}
		if _, err := h.forge.SetMember(t.Context(), r.ID, h.ada, permission, h.ada); err != nil {
			t.Fatal(err)
		}
	}
	return h, app
}

// credential issues what a git program could send as its password.
func (h *testServer) credential(t *testing.T, kind identity.Kind, g grantSet, app string) string {
	t.Helper()
	switch kind {
	case identity.KindAPI, identity.KindApplication:
		service := strings.Replace(g.services[0], "*", "events", 1)
		_, secret, err := h.Identity.IssueKey(t.Context(), identity.KeyOptions{
			Service: service, Kind: kind, UserID: h.ada.ID,
		})
		if err != nil {
			t.Fatal(err)
		}
		return secret
	case identity.KindClient:
		_, secret, err := h.Identity.AddClient(t.Context(), identity.NewClient{
			Name: "web", Type: identity.ClientWeb, RedirectURIs: []string{"https://a.test/"},
		})
		if err != nil {
			t.Fatal(err)
		}
		return secret
	}
	o := identity.IssueOptions{Kind: kind, Services: g.services, Scopes: g.scopes, UserID: h.ada.ID}
	switch kind {
	case identity.KindProject, identity.KindWorkflow:
		o.Repo = "ada/private"
	case identity.KindInstallation:
		o.ClientID = app
	}
	return h.Issue(o)
}

// TestGitAccess asks for every kind of credential with every set of grants at every
// repository. A combination that no table has fails.
func TestGitAccess(t *testing.T) {
	t.Parallel()
	h, app := openAccessServer(t)
	h.checkAccess(t, "anonymous", "", "anonymous ", expectedAccess()["none -"])
	for _, g := range grantSets() {
		rights := grantedRights()[g.name]
		if len(rights) != len(credentialKinds()) {
			t.Errorf("%s: the table has %d of %d kinds", g.name, len(rights), len(credentialKinds()))
			continue
		}
		for i, kind := range credentialKinds() {
			want, listed := expectedAccess()[string(kind)+" "+rights[i:i+1]]
			if !listed || len(want) != len(accessRepositories()) {
				t.Errorf("%s %s: %q is not in the table", kind, g.name, rights[i:i+1])
				continue
			}
			h.checkAccess(t, fmt.Sprint(kind, " ", g.name), h.credential(t, kind, g, app), "", want)
		}
	}
	if len(grantedRights()) != len(grantSets()) {
		t.Errorf("the table has %d sets, want %d", len(grantedRights()), len(grantSets()))
	}
}

// checkAccess sends the four requests of git to every repository.
func (h *testServer) checkAccess(t *testing.T, who, secret, prefix, want string) {
	t.Helper()
	var header []string
	if secret != "" {
		header = []string{"Authorization: Bearer " + secret}
	}
	for i, address := range accessRepositories() {
		statuses, listed := expectedStatus()[prefix+want[i:i+1]]
		if !listed {
			t.Errorf("%s at %s: %q is not in the table", who, address, want[i:i+1])
			continue
		}
		for n, ask := range []string{
			"GET %s/info/refs?service=git-upload-pack", "GET %s/info/refs?service=git-receive-pack",
			"POST %s/git-upload-pack", "POST %s/git-receive-pack",
		} {
			method, path, _ := strings.Cut(fmt.Sprintf(ask, "/git/"+address+".git"), " ")
			if w := h.Call(method, path, "", header...); w.Code != statuses[n] {
				t.Errorf("%s: %s %s: got %d %s, want %d", who, method, path, w.Code, w.Body, statuses[n])
			}
		}
	}
}

// TestHiddenLooksAbsent compares whole answers: a caller who may not see a private
// repository gets what an address without one gets.
func TestHiddenLooksAbsent(t *testing.T) {
	t.Parallel()
	h, app := openAccessServer(t)
	const form = "Content-Type: application/x-git-%s-request"
	headers := map[string][]string{"anonymous": nil, "unknown": {"Authorization: Bearer nonsense"}}
	for _, kind := range credentialKinds() {
		for _, g := range grantSets() {
			if slices.Contains([]string{"*: tasks.readonly", "events: contents:write"}, g.name) {
				headers[fmt.Sprint(kind, g.name)] = []string{"Authorization: Bearer " + h.credential(t, kind, g, app)}
			}
		}
	}
	for who, header := range headers {
		for _, ask := range []string{
			"GET info/refs?service=git-upload-pack", "GET info/refs?service=git-receive-pack", "GET info/refs", "GET HEAD",
			"POST git-upload-pack", "POST git-receive-pack", "PUT git-receive-pack",
		} {
			method, path, _ := strings.Cut(ask, " ")
			answer := func(name string) string {
				media := fmt.Sprintf(form, strings.TrimPrefix(path, "git-"))
				w := h.Call(method, "/git/bob/"+name+".git/"+path, "0000", append(header, media)...)
				w.Header().Del("X-Request-Id")
				return strings.ReplaceAll(fmt.Sprintln(w.Code, w.Header(), w.Body), name, "NAME")
			}
			if hidden, absent := answer("private"), answer("missing"); hidden != absent {
				t.Errorf("%s %s: private answers %q, absent %q", who, ask, hidden, absent)
			}
		}
	}
}

// Who makes a repository for an organization may push to it; another member is told what
// is missing, and a token what it lacks.
func TestCreatorMayPush(t *testing.T) {
	t.Parallel()
	h, _ := openAccessServer(t)
	h.create(t, forge.NewRepository{Owner: "acme", Name: "porch", Actor: h.ada})
	tasks := h.credential(t, identity.KindPersonal, grantSet{services: []string{"tasks"}, scopes: []string{"tasks"}}, "")
	w := h.Call("GET", "/git/acme/porch.git/info/refs?service=git-receive-pack", "", "Authorization: Bearer "+tasks)
	if !strings.Contains(w.Body.String(), "it is for tasks") {
		t.Errorf("a token of another service: %d %s", w.Code, w.Body)
	}
	issue := func(scope string) string {
		return "Authorization: Bearer " + h.credential(t, identity.KindPersonal,
			grantSet{services: []string{"events"}, scopes: []string{scope}}, "")
	}
	for path, row := range map[string]struct {
		scope, want string
		status      int
	}{
		"porch":   {"contents:write", "", 200},
		"public":  {"contents:write", "stoa repo member acme/public ada --permission write", 403},
		"private": {"contents:read", "it needs the scope contents:write", 403},
	} {
		w := h.Call("GET", "/git/acme/"+path+".git/info/refs?service=git-receive-pack", "", issue(row.scope))
		if w.Code != row.status || !strings.Contains(w.Body.String(), row.want) {
			t.Errorf("%s: %d %s, want %d %q", path, w.Code, w.Body, row.status, row.want)
		}
	}
}
