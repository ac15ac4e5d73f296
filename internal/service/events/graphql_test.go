package events_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/service/events"
	"stoa.dev/stoa/internal/service/events/discussions"
	nodes "stoa.dev/stoa/internal/service/events/objects"
)

// answer is what a query is answered with.
type answer struct {
	Data   map[string]any
	Errors []struct {
		Type, Message string
		Path          []any
		Locations     []struct{ Line, Column int }
		Extensions    map[string]string
	}
}

// ask sends a query.
func (h *testServer) ask(t testing.TB, token, query string, variables map[string]any) answer {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		t.Fatal(err)
	}
	w := h.Call("POST", "/api/graphql", string(body), "Authorization: Bearer "+token)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", query, w.Code, w.Body)
	}
	var out answer
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatalf("%s: %v: %s", query, err, w.Body)
	}
	return out
}

// want asks and wants no errors; path leads to a value of the answer.
func (h *testServer) want(t testing.TB, token, query string, variables map[string]any, path, want string) {
	t.Helper()
	out := h.ask(t, token, query, variables)
	if len(out.Errors) > 0 {
		t.Errorf("%s: %+v", query, out.Errors)
		return
	}
	if got := valueAt(out.Data, path); got != want {
		t.Errorf("%s: %s is %s, want %s", query, path, got, want)
	}
}

// valueAt follows names and numbers into an answer and writes what is there as JSON.
func valueAt(value any, path string) string {
	for step := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			var i int
			if _, err := fmt.Sscan(step, &i); err != nil || i >= len(v) {
				return "nothing at " + step
			}
			value = v[i]
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// idOf is the id of an object in REST.
func (h *testServer) idOf(t testing.TB, token, path string) string {
	t.Helper()
	id, _ := h.do(t, token, "GET", path, "", http.StatusOK)["node_id"].(string)
	return id
}

const aboutTalk = `query($owner:String!,$name:String!){repository(owner:$owner,name:$name){%s}}`

func talk() map[string]any { return map[string]any{"owner": "ada", "name": "talk"} }

// TestGraphReads asks for each kind of object and compares with what REST made.
func TestGraphReads(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		h.filled(t, "ada", "talk", false)
		ada, grace := h.Token("ada"), h.Token("grace")
		at := "/repos/ada/talk"
		for _, n := range []string{"One", "Two", "Three"} {
			h.do(t, ada, "POST", at+"/issues", `{"title":"`+n+`","labels":["bug"],"assignees":["ada"]}`, 201)
		}
		h.do(t, ada, "POST", at+"/issues/1/comments", `{"body":"first"}`, 201)
		h.do(t, grace, "POST", at+"/issues/1/comments", `{"body":"second"}`, 201)
		h.do(t, ada, "PATCH", at+"/issues/3", `{"state":"closed"}`, 200)
		h.do(t, ada, "POST", at+"/pulls", `{"title":"F","head":"feature/x","base":"main"}`, 201)
		h.do(t, grace, "POST", at+"/pulls/4/reviews", `{"event":"APPROVE"}`, 200)
		h.do(t, ada, "POST", at+"/releases", `{"tag_name":"v9","name":"Nine"}`, 201)
		h.do(t, ada, "POST", at+"/releases", `{"tag_name":"v10","draft":true}`, 201)
		h.do(t, ada, "PUT", "/user/starred/ada/talk", "", 204)
		h.do(t, grace, "POST", at+"/forks", "", 202)
		for _, row := range [][3]string{
			{"id nameWithOwner isPrivate isEmpty visibility", "repository.nameWithOwner", `"ada/talk"`},
			{"id", "repository.id", `"` + h.idOf(t, ada, at) + `"`},
			{"stargazerCount forkCount", "repository.stargazerCount", "1"},
			{"viewerPermission", "repository.viewerPermission", `"ADMIN"`},
			{"defaultBranchRef{name target{oid ...on Commit{messageHeadline}}}",
				"repository.defaultBranchRef.target.messageHeadline", `"Third"`},
			{"languages(first:9){edges{size node{name}}} primaryLanguage{name}", "repository.languages.edges.0.node.name", `"Go"`},
			{"issues(first:10,states:OPEN){totalCount nodes{number}}", "repository.issues.totalCount", "2"},
			{"issues(states:[CLOSED]){totalCount}", "repository.issues.totalCount", "1"},
			{"issues(first:1,orderBy:{field:CREATED_AT,direction:DESC}){nodes{number}pageInfo{hasNextPage}}",
				"repository.issues.pageInfo.hasNextPage", "true"},
			{"issues(last:1){nodes{number}}", "repository.issues.nodes.0.number", "3"},
			{"issues(first:9,filterBy:{createdBy:\"GRACE\"}){totalCount}", "repository.issues.totalCount", "0"},
			{"issue(number:1){comments(last:1){nodes{body author{login ...on User{id name}}}totalCount}}",
				"repository.issue.comments.nodes.0.body", `"second"`},
			{"issue(number:1){id}", "repository.issue.id", `"` + h.idOf(t, ada, at+"/issues/1") + `"`},
			{"issue(number:1){labels(first:5){nodes{name}}assignees(first:5){nodes{login}}}",
				"repository.issue.labels.nodes.0.name", `"bug"`},
			{"issueOrPullRequest(number:4){__typename}", "repository.issueOrPullRequest.__typename", `"PullRequest"`},
			{"pullRequest(number:4){id}", "repository.pullRequest.id", `"` + h.idOf(t, ada, at+"/pulls/4") + `"`},
			{"pullRequest(number:4){additions files(first:5){nodes{path}}commits(last:1){nodes{commit{oid}}}}",
				"repository.pullRequest.files.nodes.0.path", `"feature.txt"`},
			{"pullRequest(number:4){mergeable reviewDecision latestReviews(first:2){nodes{state}}}",
				"repository.pullRequest.reviewDecision", `"APPROVED"`},
			{"pullRequests(first:5,states:[OPEN],headRefName:\"feature/x\"){nodes{number}}",
				"repository.pullRequests.nodes.0.number", "4"},
			{"releases(first:5){nodes{tagName isLatest isDraft}totalCount}", "repository.releases.totalCount", "2"},
			{"releases(first:1,orderBy:{field:CREATED_AT,direction:ASC}){nodes{tagName isLatest}}",
				"repository.releases.nodes.0.isLatest", "true"},
			{"latestRelease{tagName}release(tagName:\"none\"){id}", "repository.latestRelease.tagName", `"v9"`},
			{"forks(first:3){nodes{parent{nameWithOwner}}}", "repository.forks.nodes.0.parent.nameWithOwner", `"ada/talk"`},
			{"milestones(first:3){nodes{title}totalCount}", "repository.milestones.totalCount", "0"},
			{"assignableUsers(first:3){nodes{login}}", "repository.assignableUsers.nodes.0.login", `"ada"`},
		} {
			h.want(t, ada, fmt.Sprintf(aboutTalk, row[0]), talk(), row[1], row[2])
		}
		search := `query($q:String!){search(query:$q,type:ISSUE,first:9){issueCount nodes{...on Issue{number}...on PullRequest{number}}}}`
		for q, want := range map[string]string{
			"repo:ada/talk is:pr author:@me state:open": "1", "repo:ada/talk type:issue state:closed": "1",
			`repo:ada/talk is:issue label:"bug"`: "3", "repo:ada/talk is:pr is:merged": "0", "repo:ada/none is:open": "0",
			"repo:ada/talk state:open review-requested:ada": "0", "repo:ada/talk draft:true": "0",
		} {
			h.want(t, ada, search, map[string]any{"q": q}, "search.issueCount", want)
		}
		h.want(t, ada, `{viewer{login repositories(first:5,ownerAffiliations:OWNER){nodes{name}totalCount}}}`, nil,
			"viewer.repositories.totalCount", "1")
		h.want(t, grace, `{user(login:"ada"){login email isViewer}}`, nil, "user.email", `""`)
		h.do(t, ada, "POST", at+"/labels", `{"name":"a last one"}`, 201)
		for order, want := range map[string]string{
			"{field:NAME,direction:ASC}": `"a last one"`, "{field:CREATED_AT,direction:ASC}": `"bug"`,
			"{field:NAME,direction:DESC}": `"bug"`,
		} {
			h.want(t, ada, fmt.Sprintf(aboutTalk, "labels(first:1,orderBy:"+order+"){nodes{name}}"), talk(),
				"repository.labels.nodes.0.name", want)
		}
		h.do(t, ada, "PATCH", at, `{"name":"renamed"}`, 200)
		h.want(t, ada, fmt.Sprintf(aboutTalk, "name"), talk(), "repository.name", `"renamed"`)
		old := h.ask(t, ada, `{repository(owner:"ada",name:"talk",followRenames:false){name}}`, nil)
		if len(old.Errors) != 1 || old.Errors[0].Type != "NOT_FOUND" {
			t.Errorf("a former name that is not followed: %+v", old)
		}
		at = "/repos/ada/renamed"
		h.want(t, ada, `{rateLimit{cost limit}}`, nil, "rateLimit.cost", "1")
		h.want(t, ada, `query($id:ID!){node(id:$id){...on Issue{title}}}`,
			map[string]any{"id": h.idOf(t, ada, at+"/issues/2")}, "node.title", `"Two"`)
		h.want(t, ada, `{__type(name:"Issue"){fields{name}} __schema{queryType{name}}}`, nil,
			"__schema.queryType.name", `"Query"`)
	})
}

// TestGraphPages walks a list to its end by its cursors.
func TestGraphPages(t *testing.T) {
	t.Parallel()
	h := open(t, "", generous())
	h.filled(t, "ada", "talk", false)
	ada := h.Token("ada")
	for range 5 {
		h.do(t, ada, "POST", "/repos/ada/talk/issues", `{"title":"t"}`, 201)
	}
	variables := talk()
	var got []string
	query := `query($owner:String!,$name:String!,$after:String){repository(owner:$owner,name:$name){
		issues(first:2,after:$after){nodes{number}pageInfo{hasNextPage endCursor}}}}`
	for range 9 {
		out := h.ask(t, ada, query, variables)
		for i := range 2 {
			if n := valueAt(out.Data, fmt.Sprintf("repository.issues.nodes.%d.number", i)); !strings.HasPrefix(n, "nothing") {
				got = append(got, n)
			}
		}
		if valueAt(out.Data, "repository.issues.pageInfo.hasNextPage") != "true" {
			break
		}
		variables["after"] = strings.Trim(valueAt(out.Data, "repository.issues.pageInfo.endCursor"), `"`)
	}
	if want := []string{"1", "2", "3", "4", "5"}; !slices.Equal(got, want) {
		t.Errorf("pages hold %v, want %v", got, want)
	}
	variables["after"] = "no cursor"
	if out := h.ask(t, ada, query, variables); len(out.Errors) != 1 {
		t.Errorf("a cursor that is none: %+v", out)
	}
}

// TestGraphChanges: each change does what its REST operation does, and causes its event.
func TestGraphChanges(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		h.filled(t, "ada", "talk", false)
		ada, grace := h.Token("ada"), h.Token("grace")
		at := "/repos/ada/talk"
		h.do(t, ada, "POST", at+"/labels", `{"name":"bug"}`, 201)
		label, user := h.idOf(t, ada, at+"/labels/bug"), h.idOf(t, ada, "/users/ada")
		before := len(eventWords(t, h, at+"/events?per_page=100", ada))
		change := func(token, name string, input map[string]any, fields, path, want string) {
			t.Helper()
			kind := strings.ToUpper(name[:1]) + name[1:] + "Input!"
			query := fmt.Sprintf("mutation($input:%s){%s(input:$input){clientMutationId %s}}", kind, name, fields)
			h.want(t, token, query, map[string]any{"input": input}, name+"."+path, want)
		}
		repo := h.idOf(t, ada, at)
		change(grace, "createIssue", map[string]any{"repositoryId": repo, "title": "Shade", "labelIds": []string{}},
			"issue{number}", "issue.number", "1")
		issue := h.idOf(t, ada, at+"/issues/1")
		id := func(extra ...any) map[string]any {
			out := map[string]any{"id": issue}
			for i := 0; i < len(extra); i += 2 {
				out[extra[i].(string)] = extra[i+1]
			}
			return out
		}
		change(ada, "updateIssue", id("title", "Sun", "assigneeIds", []string{user}), "issue{title}", "issue.title", `"Sun"`)
		labels := map[string]any{"labelableId": issue, "labelIds": []string{label}}
		change(ada, "addLabelsToLabelable", labels, "labelable{labels(first:2){nodes{name}}}",
			"labelable.labels.nodes.0.name", `"bug"`)
		change(ada, "removeLabelsFromLabelable", labels, "labelable{labels(first:2){totalCount}}",
			"labelable.labels.totalCount", "0")
		change(grace, "addComment", map[string]any{"subjectId": issue, "body": "please", "clientMutationId": "m"},
			"commentEdge{node{id body}}", "clientMutationId", `"m"`)
		comment := h.idOf(t, ada, at+"/issues/comments/1")
		change(grace, "updateIssueComment", map[string]any{"id": comment, "body": "now"}, "issueComment{body}",
			"issueComment.body", `"now"`)
		change(ada, "closeIssue", map[string]any{"issueId": issue, "stateReason": "NOT_PLANNED"},
			"issue{state stateReason}", "issue.stateReason", `"NOT_PLANNED"`)
		change(ada, "reopenIssue", map[string]any{"issueId": issue}, "issue{state}", "issue.state", `"OPEN"`)
		change(grace, "deleteIssueComment", map[string]any{"id": comment}, "", "clientMutationId", "null")
		change(ada, "createPullRequest", map[string]any{
			"repositoryId": repo, "title": "F", "baseRefName": "main", "headRefName": "feature/x", "draft": false,
			"maintainerCanModify": true,
		}, "pullRequest{id number url}", "pullRequest.number", "2")
		pull := map[string]any{"pullRequestId": h.idOf(t, ada, at+"/pulls/2")}
		change(ada, "closePullRequest", pull, "pullRequest{state}", "pullRequest.state", `"CLOSED"`)
		change(ada, "reopenPullRequest", pull, "pullRequest{state}", "pullRequest.state", `"OPEN"`)
		pull["event"] = "APPROVE"
		change(grace, "addPullRequestReview", pull, "pullRequestReview{state}", "pullRequestReview.state", `"APPROVED"`)
		delete(pull, "event")
		pull["mergeMethod"] = "MERGE"
		change(ada, "mergePullRequest", pull, "pullRequest{state mergeCommit{oid}}", "pullRequest.state", `"MERGED"`)
		for states, want := range map[string]string{"MERGED": "1", "CLOSED": "0", "[OPEN,CLOSED]": "0"} {
			h.want(t, ada, fmt.Sprintf(aboutTalk, "pullRequests(states:"+states+"){totalCount}"), talk(),
				"repository.pullRequests.totalCount", want)
		}
		change(grace, "addStar", map[string]any{"starrableId": repo}, "starrable{stargazerCount}",
			"starrable.stargazerCount", "1")
		got := eventWords(t, h, at+"/events?per_page=100", ada)[before:]
		want := []string{
			"IssuesEvent opened", "IssuesEvent assigned", "IssuesEvent labeled", "IssuesEvent unlabeled",
			"IssueCommentEvent created", "IssuesEvent closed", "IssuesEvent reopened", "PullRequestEvent opened",
			"PullRequestEvent closed", "PullRequestEvent reopened", "PullRequestReviewEvent created", "PushEvent",
			"PullRequestEvent merged", "WatchEvent started",
		}
		if !slices.Equal(got, want) {
			t.Errorf("events:\n%q\nwant\n%q", got, want)
		}
		change(ada, "createRepository", map[string]any{
			"name": "fresh", "visibility": "PRIVATE", "hasIssuesEnabled": true, "hasWikiEnabled": true,
		}, "repository{nameWithOwner isPrivate}", "repository.isPrivate", "true")
		h.do(t, ada, "GET", "/repos/ada/fresh", "", http.StatusOK)
	})
}

// TestGraphRefusals: changes that REST refuses are refused, with the type that clients read.
func TestGraphRefusals(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		h.filled(t, "ada", "talk", false)
		ada, grace := h.Token("ada"), h.Token("grace")
		at := "/repos/ada/talk"
		h.do(t, ada, "POST", at+"/issues", `{"title":"Shade","labels":["bug"]}`, 201)
		h.do(t, ada, "POST", at+"/pulls", `{"title":"F","head":"feature/x","base":"main"}`, 201)
		repo, issue, pull := h.idOf(t, ada, at), h.idOf(t, ada, at+"/issues/1"), h.idOf(t, ada, at+"/pulls/2")
		label := h.idOf(t, ada, at+"/labels/bug")
		reader := h.Issue(identity.IssueOptions{
			Kind: identity.KindPersonal, Services: []string{events.Name}, UserID: h.User("ada").ID,
			Scopes: []string{forge.ScopeMetadataRead, discussions.ScopeIssuesRead},
		})
		before := len(eventWords(t, h, at+"/events?per_page=100", ada))
		for _, row := range []struct{ token, query, kind, message string }{
			{grace, `closeIssue(input:{issueId:"` + issue + `"})`, "FORBIDDEN", "write rights"},
			{reader, `closeIssue(input:{issueId:"` + issue + `"})`, "FORBIDDEN", "not accessible"},
			{reader, `addComment(input:{subjectId:"` + issue + `",body:"x"})`, "FORBIDDEN", "not accessible"},
			{grace, `mergePullRequest(input:{pullRequestId:"` + pull + `"})`, "FORBIDDEN", "write rights"},
			{ada, `mergePullRequest(input:{pullRequestId:"` + pull + `",mergeMethod:REBASE})`, "UNPROCESSABLE", "Rebase"},
			{ada, `mergePullRequest(input:{pullRequestId:"` + pull + `",expectedHeadOid:"` + forge.Zero + `"})`,
				"UNPROCESSABLE", "modified"},
			{ada, `mergePullRequest(input:{pullRequestId:"` + issue + `"})`, "NOT_FOUND", "global id"},
			{grace, `createIssue(input:{repositoryId:"` + repo + `",title:"t",labelIds:["` + label + `"]})`, "FORBIDDEN", "write"},
			{ada, `createIssue(input:{repositoryId:"` + repo + `",title:"t",labelIds:["nope"]})`, "NOT_FOUND", "'nope'"},
			{ada, `createIssue(input:{repositoryId:"` + repo + `",title:""})`, "UNPROCESSABLE", "title"},
			{ada, `createIssue(input:{repositoryId:"` + repo + `",title:"t",milestoneId:"x"})`, "UNPROCESSABLE", "milestones"},
			{ada, `closeIssue(input:{issueId:"` + issue + `",stateReason:DUPLICATE})`, "UNPROCESSABLE", "duplicates"},
			{ada, `createPullRequest(input:{repositoryId:"` + repo + `",title:"t",baseRefName:"main",headRefName:"no"})`,
				"UNPROCESSABLE", "branch"},
			{ada, `createRepository(input:{name:"talk",visibility:PUBLIC})`, "UNPROCESSABLE", "exists"},
			{ada, `createRepository(input:{name:"x",visibility:PUBLIC,hasIssuesEnabled:false})`, "UNPROCESSABLE", "issues"},
			{reader, `createRepository(input:{name:"x",visibility:PUBLIC})`, "FORBIDDEN", "not accessible"},
			{ada, `addComment(input:{subjectId:"bm9uc2Vuc2U",body:"x"})`, "NOT_FOUND", "global id of 'bm9uc2Vuc2U'"},
		} {
			out := h.ask(t, row.token, "mutation{"+row.query+"{clientMutationId}}", nil)
			if len(out.Errors) != 1 || out.Errors[0].Type != row.kind || !strings.Contains(out.Errors[0].Message, row.message) {
				t.Errorf("%s: %+v, want %s %q", row.query, out.Errors, row.kind, row.message)
			}
		}
		if got := eventWords(t, h, at+"/events?per_page=100", ada); len(got) != before {
			t.Errorf("refused changes caused %v", got[before:])
		}
	})
}

// TestGraphNodes: every id that an answer shows names its object again, for who may see it and for no other caller.
func TestGraphNodes(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		h.filled(t, "ada", "talk", true)
		ada := h.Token("ada")
		at := "/repos/ada/talk"
		h.do(t, ada, "POST", at+"/issues", `{"title":"One","labels":["bug"]}`, 201)
		h.do(t, ada, "POST", at+"/issues/1/comments", `{"body":"first"}`, 201)
		h.do(t, ada, "POST", at+"/pulls", `{"title":"F","head":"feature/x","base":"main"}`, 201)
		h.do(t, ada, "POST", at+"/pulls/2/reviews", `{"event":"COMMENT","body":"well"}`, 200)
		h.do(t, ada, "POST", at+"/releases", `{"tag_name":"v9"}`, 201)
		out := h.ask(t, ada, fmt.Sprintf(aboutTalk, `id defaultBranchRef{id target{id}}
			ref(qualifiedName:"refs/tags/v9"){id}
			labels(first:1){nodes{id}} releases(first:1){nodes{id}} issue(number:1){id comments(first:1){nodes{id}}}
			pullRequest(number:2){id reviews(first:1){nodes{id}} commits(first:1){nodes{commit{id}}}}`), talk())
		if len(out.Errors) > 0 {
			t.Fatalf("%+v", out.Errors)
		}
		seen := map[string]string{}
		for path, kind := range map[string]string{
			"id": "Repository", "defaultBranchRef.id": "Ref", "defaultBranchRef.target.id": "Commit", "ref.id": "Ref",
			"labels.nodes.0.id": "Label", "releases.nodes.0.id": "Release", "issue.id": "Issue",
			"issue.comments.nodes.0.id": "IssueComment", "pullRequest.id": "PullRequest",
			"pullRequest.reviews.nodes.0.id": "PullRequestReview", "pullRequest.commits.nodes.0.commit.id": "Commit",
		} {
			id := valueAt(out.Data, "repository."+path)
			if other, twice := seen[id]; twice {
				t.Errorf("%s and %s have one id", path, other)
			}
			seen[id] = path
			query := "{node(id:" + id + "){__typename id}}"
			h.want(t, ada, query, nil, "node.__typename", `"`+kind+`"`)
			h.want(t, ada, query, nil, "node.id", id)
			other := h.ask(t, h.Token("grace"), query, nil)
			if len(other.Errors) != 1 || other.Errors[0].Type != "NOT_FOUND" {
				t.Errorf("%s is shown to a user who may not see it: %+v", path, other)
			}
		}
		// The id of another kind names nothing.
		for _, wrong := range []string{
			nodes.NodeID("Issue", 2), nodes.NodeID("Label", 99), nodes.NodeID("Release", 99),
			nodes.NodeID("PullRequestReview", 99), nodes.NamedNodeID("Issue", 1, "x"),
			nodes.NamedNodeID("Ref", 1, "main"), nodes.NamedNodeID("Commit", 1, "main"), nodes.NodeID("Ref", 1),
			nodes.NamedNodeID("Bot", 0, "nothing[bot]"),
		} {
			if out := h.ask(t, ada, `{node(id:"`+wrong+`"){id}}`, nil); len(out.Errors) != 1 ||
				out.Errors[0].Type != "NOT_FOUND" {
				t.Errorf("%s: %+v", wrong, out)
			}
		}
	})
}
