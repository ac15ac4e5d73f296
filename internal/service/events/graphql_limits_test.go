package events_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/service/events"
)

// graphScenarios ask in GraphQL, and do what its clients do in REST besides, to ada/talk.
func graphScenarios(ada, grace string) []routetest.Scenario {
	const refs, pull = "/repos/ada/talk/git/refs/heads/", "/repos/ada/talk/pulls/2"
	diff := map[string]string{"Accept": "application/vnd.vendor.v3.diff"}
	return []routetest.Scenario{
		{
			Name: "query", Method: "POST", URL: "/graphql", Caller: ada, Body: `{"query":"{viewer{login}}"}`, Status: 200,
			Contains: []string{`{"data":{"viewer":{"login":"ada"}}}`},
		},
		{
			Name: "query at the other address", Method: "POST", URL: "/api/graphql", Caller: grace,
			Body: `{"query":"query A{viewer{login}} query B{viewer{isViewer}}","operationName":"B"}`, Status: 200,
			Contains: []string{`{"isViewer":true}`},
		},
		{Name: "query without a token", Method: "POST", URL: "/graphql", Body: `{"query":"{viewer{login}}"}`, Status: 401},
		{Name: "no query", Method: "POST", URL: "/api/graphql", Caller: ada, Body: `[`, Status: 400},
		{Name: "meta", Method: "GET", URL: "/meta", Status: 200, Contains: []string{`"installed_version":"3.17.0"`}},
		{Name: "meta with a bad token", Method: "GET", URL: "/meta", Caller: "Bearer none", Status: 401},
		{
			Name: "difference", Method: "GET", URL: pull, Caller: ada, Header: diff, Status: 200,
			Contains: []string{"diff --git"},
		},
		{Name: "delete another's branch", Method: "DELETE", URL: refs + "feature/x", Caller: grace, Status: 403},
		{Name: "delete a branch", Method: "DELETE", URL: refs + "feature/x", Caller: ada, Status: 204},
		{Name: "delete no branch", Method: "DELETE", URL: refs + "feature/x", Caller: ada, Status: 422},
		{Name: "delete the default branch", Method: "DELETE", URL: refs + "main", Caller: ada, Status: 422},
	}
}

// TestGraphPrivacy: a private repository of another user is not there on any way to it, and what
// the answer says is the same as for one that does not exist.
func TestGraphPrivacy(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		h.filled(t, "ada", "secret", true)
		ada, zeno := h.Token("ada"), h.Token("zeno")
		at := "/repos/ada/secret"
		h.do(t, ada, "POST", at+"/issues", `{"title":"Hidden","labels":["bug"]}`, 201)
		h.do(t, ada, "POST", at+"/issues/1/comments", `{"body":"Hidden"}`, 201)
		h.do(t, ada, "POST", at+"/pulls", `{"title":"Hidden","head":"feature/x","base":"main"}`, 201)
		h.do(t, ada, "POST", at+"/releases", `{"tag_name":"v9","name":"Hidden"}`, 201)
		h.do(t, ada, "POST", at+"/forks", `{"name":"shadow"}`, 202)
		ids := map[string]string{}
		for name, path := range map[string]string{
			"repository": at, "issue": at + "/issues/1", "pull": at + "/pulls/2", "comment": at + "/issues/comments/1",
			"label": at + "/labels/bug", "release": at + "/releases/1",
		} {
			ids[name] = h.idOf(t, ada, path)
		}
		var ways []string
		for _, id := range ids {
			ways = append(ways, `{node(id:"`+id+`"){id}}`, `mutation{addComment(input:{subjectId:"`+id+`",body:"x"}){subject{id}}}`,
				`mutation{closeIssue(input:{issueId:"`+id+`"}){issue{title}}}`,
				`mutation{updateIssueComment(input:{id:"`+id+`",body:"x"}){issueComment{body}}}`,
				`mutation{mergePullRequest(input:{pullRequestId:"`+id+`"}){pullRequest{title}}}`,
				`mutation{createIssue(input:{repositoryId:"`+id+`",title:"x"}){issue{title}}}`,
				`mutation{addStar(input:{starrableId:"`+id+`"}){starrable{name}}}`)
		}
		ways = append(ways, `{repository(owner:"ada",name:"secret"){id}}`, `{user(login:"ada"){repository(name:"secret"){id}}}`,
			`{repositoryOwner(login:"ada"){repositories(first:9){totalCount nodes{name}}}}`,
			`{search(type:ISSUE,first:9,query:"repo:ada/secret is:issue"){issueCount nodes{...on Issue{title}}}}`,
			`{user(login:"ada"){organizations(first:3){totalCount}}}`)
		limited := h.Issue(identity.IssueOptions{
			Kind: identity.KindPersonal, Services: []string{events.Name}, UserID: h.User("ada").ID,
		})
		for _, query := range ways {
			for name, token := range map[string]string{"another user": zeno, "a token without scopes": limited} {
				out := h.ask(t, token, query, nil)
				if text := fmt.Sprint(out); strings.Contains(text, "Hidden") || strings.Contains(text, "shadow") ||
					strings.Contains(valueAt(out.Data, "repositoryOwner"), "secret") || valueAt(out.Data, "node") != "null" {
					t.Errorf("%s sees %s: %+v", name, query, out)
				}
				for _, e := range out.Errors {
					if name == "another user" && e.Type != "NOT_FOUND" {
						t.Errorf("%s: %s says %+v", name, query, e)
					}
				}
			}
		}
		for _, name := range []string{"secret", "nowhere"} {
			out := h.ask(t, zeno, `{repository(owner:"ada",name:"`+name+`"){id}}`, nil)
			want := "Could not resolve to a Repository with the name 'ada/" + name + "'."
			if len(out.Errors) != 1 || out.Errors[0].Message != want || out.Errors[0].Type != "NOT_FOUND" ||
				fmt.Sprint(out.Errors[0].Path) != "[repository]" || len(out.Errors[0].Locations) != 1 {
				t.Errorf("%s: %+v", name, out)
			}
		}
		// The scopes of private discussions and content, as REST has them.
		metadata := h.Issue(identity.IssueOptions{
			Kind: identity.KindPersonal, Services: []string{events.Name}, UserID: h.User("ada").ID,
			Scopes: []string{forge.ScopeMetadataRead},
		})
		h.want(t, metadata, `{repository(owner:"ada",name:"secret"){name}}`, nil, "repository.name", `"secret"`)
		for _, field := range []string{
			"issue(number:1){title}", "issues(first:3){nodes{title}}", "pullRequests(first:2){nodes{title}}",
			"pullRequest(number:2){title}", "latestRelease{name}", "releases(first:2){nodes{name}}",
			"defaultBranchRef{target{oid}}", "labels(first:3){nodes{name}}", "primaryLanguage{name}",
			"object(expression:\"main\"){oid}", "ref(qualifiedName:\"main\"){name}", "defaultBranchRef{id}",
			"refs(refPrefix:\"refs/heads/\",first:2){nodes{name}}",
		} {
			out := h.ask(t, metadata, `{repository(owner:"ada",name:"secret"){`+field+`}}`, nil)
			if len(out.Errors) != 1 || out.Errors[0].Type != "FORBIDDEN" {
				t.Errorf("%s without its scope: %+v", field, out)
			}
		}
		if w := h.Call("POST", "/graphql", `{"query":"{viewer{login}}"}`); w.Code != http.StatusUnauthorized {
			t.Errorf("without a token: %d %s", w.Code, w.Body)
		}
	})
}

// TestGraphFormOfErrors: what is wrong with a query is said with status 200.
func TestGraphFormOfErrors(t *testing.T) {
	t.Parallel()
	h := open(t, "", generous())
	h.filled(t, "ada", "talk", false)
	ada := h.Token("ada")
	deep := strings.Repeat("{parent", 40) + "{id}" + strings.Repeat("}", 40)
	bomb := "fragment f0 on Query{viewer{login}}"
	for i := range 12 {
		bomb += fmt.Sprintf(" fragment f%d on Query{...f%d ...f%d ...f%d}", i+1, i, i, i)
	}
	about := func(fields string) string { return `{repository(owner:"ada",name:"talk"){` + fields + "}}" }
	forks := func(below string) string { return "forks(first:100){nodes{" + below + "}}" }
	for query, want := range map[string]string{
		"{": "", "": "", "query A{viewer{login}} query B{viewer{login}}": "", "subscription{x}": "",
		"{viewer{nope}}": "Field 'nope' doesn't exist on type 'User'",
		"query($a:Int!){repository(owner:\"ada\",name:\"talk\"){issue(number:$a){id}}}": "",
		about("issues{nodes{id}}"):                                                     "MISSING_PAGINATION_BOUNDARIES",
		about("issues(first:0){nodes{id}}"):                                            "MISSING_PAGINATION_BOUNDARIES",
		about("issues(first:101){nodes{id}}"):                                          "EXCESSIVE_PAGINATION",
		about("issues(first:-1){nodes{id}}"):                                           "EXCESSIVE_PAGINATION",
		about(forks(forks(forks("id")))):                                               "MAX_NODE_LIMIT_EXCEEDED",
		"{repository(owner:\"ada\",name:\"talk\")" + deep + "}":                        "RESOURCE_LIMITS_EXCEEDED",
		"query{" + strings.Repeat("viewer{login} ", 1000) + "}":                        "RESOURCE_LIMITS_EXCEEDED",
		"{...f12} " + bomb:                                                             "RESOURCE_LIMITS_EXCEEDED",
		strings.Repeat(" ", 33<<10) + "{viewer{login}}":                                "RESOURCE_LIMITS_EXCEEDED",
		about("issue(number:99999999999999999999){id}"):                                "",
		about("issues(first:3,after:\"x\"){nodes{number}}"):                            "cursor",
		about("issues(first:3,filterBy:{mentioned:\"x\"}){totalCount}"):                "mentioned",
		"{search(type:ISSUE,first:3,query:\"free words\"){issueCount}}":                "qualifiers",
		"{search(type:ISSUE,first:3,query:\"repo:ada/talk milestone:x\"){issueCount}}": "milestone",
		"{search(type:ISSUE,first:3,query:\"is:open\"){issueCount}}":                   "repo:OWNER/NAME",
		"{nodes(ids:[" + strings.Repeat(`"x",`, 101) + "]){id}}":                       "100",
	} {
		out := h.ask(t, ada, query, nil)
		if len(out.Errors) == 0 || !strings.Contains(fmt.Sprintf("%+v", out.Errors), want) {
			t.Errorf("%.80s: %+v, want %s", query, out, want)
		}
	}
	w := h.Call("POST", "/graphql", `{"query":`, "Authorization: Bearer "+ada)
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "Problems parsing JSON") {
		t.Errorf("no JSON: %d %s", w.Code, w.Body)
	}
	if w := h.Call("POST", "/graphql", `{}`, "Authorization: Bearer "+ada); w.Code != http.StatusOK ||
		!strings.Contains(w.Body.String(), "query attribute") {
		t.Errorf("no query: %d %s", w.Code, w.Body)
	}
	// The work of a query is bounded also where it has no lists.
	h.do(t, ada, "POST", "/repos/ada/talk/pulls", `{"title":"F","head":"feature/x","base":"main"}`, 201)
	costly := "{repository(owner:\"ada\",name:\"talk\"){"
	for i := range 200 {
		costly += fmt.Sprintf("a%d:pullRequest(number:1){additions}", i)
	}
	if out := h.ask(t, ada, costly+"}}", nil); len(out.Errors) != 1 || out.Errors[0].Type != "RESOURCE_LIMITS_EXCEEDED" {
		t.Errorf("200 differences: %+v", out.Errors)
	}
	if out := h.ask(t, ada, strings.Repeat("#", 9)+"\n{"+strings.Repeat("a:b ", 3000)+"}", nil); len(out.Errors) != 1 ||
		out.Errors[0].Type != "RESOURCE_LIMITS_EXCEEDED" {
		t.Errorf("9,000 tokens: %+v", out.Errors)
	}
}

// TestGraphLimits: queries have a budget of their own, which their price is taken from.
func TestGraphLimits(t *testing.T) {
	t.Parallel()
	c := generous()
	c.Limits.User, c.Limits.ContentMinute = 10, 2
	h := open(t, "", c)
	h.filled(t, "ada", "talk", false)
	ada := h.Token("ada")
	call := func(query string) (int, http.Header, string) {
		w := h.Call("POST", "/graphql", `{"query":"`+query+`"}`, "Authorization: Bearer "+ada)
		return w.Code, w.Header(), w.Body.String()
	}
	// 1 + 100 + 100*2 lists are four points.
	query := `{repository(owner:\"ada\",name:\"talk\"){forks(first:100){nodes{issues(first:1){nodes{id}}` +
		`pullRequests(first:1){nodes{id}}}}}rateLimit{cost nodeCount remaining}}`
	_, header, body := call(query)
	if header.Get("X-Ratelimit-Resource") != "graphql" || header.Get("X-Ratelimit-Used") != "3" ||
		!strings.Contains(body, `"cost":3,"nodeCount":300,"remaining":7`) {
		t.Errorf("a query of 201 lists: %v %s", header, body)
	}
	limits := h.do(t, ada, "GET", "/rate_limit", "", http.StatusOK)
	if core, graph := valueAt(limits, "resources.core.used"), valueAt(limits, "resources.graphql.used"); core != "0" ||
		graph != "3" {
		t.Errorf("used %s of core and %s of graphql, want 0 and 3", core, graph)
	}
	create := `mutation{createIssue(input:{repositoryId:\"` + h.idOf(t, ada, "/repos/ada/talk") + `\",title:\"t\"}){issue{id}}}`
	for i, want := range []int{http.StatusOK, http.StatusOK, http.StatusForbidden} {
		if code, _, body := call(create); code != want {
			t.Errorf("issue %d: %d %s, want %d", i+1, code, body, want)
		}
	}
	call(query)
	if code, header, body := call(query); code != http.StatusForbidden || header.Get("X-Ratelimit-Remaining") == "" ||
		!strings.Contains(body, "API rate limit exceeded") {
		t.Errorf("over the limit: %d %s", code, body)
	}
	if w := h.get("/repos/ada/talk", ada); w.Code != http.StatusOK {
		t.Errorf("REST has a budget of its own: %d %s", w.Code, w.Body)
	}
}

// TestDeletedRefs: a branch that REST deletes is deleted as by a push.
func TestDeletedRefs(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		h.filled(t, "ada", "talk", false)
		ada, at := h.Token("ada"), "/repos/ada/talk"
		before := len(eventWords(t, h, at+"/events?per_page=100", ada))
		h.do(t, ada, "DELETE", at+"/git/refs/heads/feature/x", "", http.StatusNoContent)
		h.do(t, ada, "DELETE", at+"/git/refs/tags/v1.0", "", http.StatusNoContent)
		h.do(t, ada, "DELETE", at+"/git/refs/config", "", http.StatusUnprocessableEntity)
		h.do(t, ada, "GET", at+"/branches/feature/x", "", http.StatusNotFound)
		got := eventWords(t, h, at+"/events?per_page=100", ada)[before:]
		if strings.Join(got, ",") != "DeleteEvent,DeleteEvent" {
			t.Errorf("events: %q", got)
		}
	})
}
