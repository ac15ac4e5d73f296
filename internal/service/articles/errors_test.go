package articles_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/route/routetest"
)

// TestErrorTable provokes every refusal there is and compares status, type and
// words with the golden table. Only the five statuses of the contract appear.
func TestErrorTable(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	const public = "localhost"
	ada := s.token("ada", "", "read_svc", "write_svc", "read_svc_team", "write_svc_team")
	grace, bare := s.token("grace", "", "read_svc", "write_svc", "read_svc_team", "write_svc_team"), s.token("ada", "")
	id := fmt.Sprint(s.want(201, "POST", public, "items", `{"title":"T","body":"b","tags":[{"name":"Go"}]}`, ada)["id"])
	team := fmt.Sprint(s.want(201, "POST", teamHost, "items",
		`{"title":"T","body":"b","tags":[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"},{"name":"e"}]}`,
		ada)["id"])
	comment := fmt.Sprint(s.want(201, "POST", public, "items/"+id+"/comments", `{"body":"x"}`, ada)["id"])
	s.want(201, "POST", teamHost, "groups", `{"url_name":"taken","name":"N","private":true}`, ada)
	s.want(201, "POST", teamHost, "items", `{"title":"T","body":"b","tags":[],"group_url_name":"taken"}`, ada)
	long := strings.Repeat("x", 256)
	var table strings.Builder
	for _, row := range [][5]string{
		{"no token", "POST", public, "items", ""},
		{"junk token", "GET", public, "items", "junk"},
		{"no scope", "POST", public, "items", bare},
		{"not a member", "GET", teamHost, "items", grace},
		{"single sign-on only", "GET", "closed.localhost", "items", ada},
		{"no such team", "GET", "none.localhost", "items", ada},
		{"no such path", "GET", public, "nothing", ada},
		{"wrong method", "PUT", public, "items", ada},
		{"team only", "GET", public, "templates", ada},
		{"likes in a team", "GET", teamHost, "items/" + team + "/likes", ada},
		{"projects", "GET", public, "projects", ada},
		{"no such item", "GET", public, "items/0", ada},
		{"no such comment", "GET", public, "comments/0", ada},
		{"no such tag", "GET", public, "tags/none", ada},
		{"no such user", "GET", public, "users/none", ada},
		{"no such template", "GET", teamHost, "templates/0", ada},
		{"no such group", "GET", teamHost, "groups/none", ada},
		{"page 0", "GET", public, "items?page=0", ada},
		{"page 101", "GET", public, "items?page=101", ada},
		{"page x", "GET", public, "items?page=x", ada},
		{"per_page 101", "GET", public, "items?per_page=101", ada},
		{"sort", "GET", public, "tags?sort=x", ada},
		{"query too long", "GET", public, "items?query=" + strings.Repeat("x", 1001), ada},
		{"query of many terms", "GET", public, "items?query=" + strings.Repeat("x+", 31), ada},
		{"empty body", "POST", public, "items", ada},
		{"not followed", "GET", public, "tags/go/following", ada},
		{"not liked", "GET", public, "items/" + id + "/like", ada},
		{"follow oneself", "PUT", public, "users/ada/following", ada},
		{"another's item", "DELETE", public, "items/" + id, grace},
		{"another's comment", "DELETE", public, "comments/" + comment, grace},
		{"remove oneself", "DELETE", teamHost, "remove_team_member/ada", ada},
		{"private group with items", "DELETE", teamHost, "groups/taken", ada},
		{"not reacted", "DELETE", teamHost, "items/" + team + "/reactions/heart", ada},
		{"not tagged", "DELETE", teamHost, "items/" + team + "/taggings/z", ada},
	} {
		record(t, &table, row[0], s, row[1], row[2], row[3], "", row[4])
	}
	for _, row := range [][4]string{
		{"no JSON", public, "items", `{`},
		{"a wrong type", public, "items", `{"title":1}`},
		{"a member twice", public, "items", `{"title":"a","title":"b"}`},
		{"trailing text", public, "items", `{} x`},
		{"no title", public, "items", `{"body":"b","tags":[{"name":"a"}]}`},
		{"a long title", public, "items", `{"title":"` + long + `","body":"b","tags":[{"name":"a"}]}`},
		{"no text", public, "items", `{"title":"t","body":" ","tags":[{"name":"a"}]}`},
		{"no tags", public, "items", `{"title":"t","body":"b","tags":[]}`},
		{"six tags", public, "items",
			`{"title":"t","body":"b","tags":[{"name":"1"},{"name":"2"},{"name":"3"},` +
				`{"name":"4"},{"name":"5"},{"name":"6"}]}`},
		{"a tag twice", public, "items", `{"title":"t","body":"b","tags":[{"name":"a"},{"name":"A"}]}`},
		{"a tag with a blank", public, "items", `{"title":"t","body":"b","tags":[{"name":"a b"}]}`},
		{"a long version", public, "items",
			`{"title":"t","body":"b","tags":[{"name":"a","versions":["` + long + `"]}]}`},
		{"private in a team", teamHost, "items", `{"title":"t","body":"b","tags":[],"private":true}`},
		{"coediting on the public site", public, "items",
			`{"title":"t","body":"b","tags":[{"name":"a"}],"coediting":true}`},
		{"a group on the public site", public, "items",
			`{"title":"t","body":"b","tags":[{"name":"a"}],"group_url_name":"taken"}`},
		{"no group", teamHost, "items", `{"title":"t","body":"b","tags":[],"group_url_name":"none"}`},
		{"an empty comment", public, "items/" + id + "/comments", `{"body":""}`},
		{"a long comment", public, "items/" + id + "/comments", `{"body":"` + strings.Repeat("x", 64<<10+1) + `"}`},
		{"a long template", teamHost, "templates",
			`{"name":"n","title":"t","tags":[],"body":"` + strings.Repeat("x", 256<<10+1) + `"}`},
		{"no emoji", teamHost, "items/" + team + "/reactions", `{"name":"none"}`},
		{"a sixth tagging", teamHost, "items/" + team + "/taggings", `{"name":"f"}`},
		{"an empty tagging", teamHost, "items/" + team + "/taggings", `{}`},
		{"a template without a name", teamHost, "templates", `{"title":"t","body":"b","tags":[]}`},
		{"a template without text", teamHost, "templates", `{"name":"n","title":"t","tags":[]}`},
		{"a group's address", teamHost, "groups", `{"url_name":"A B","name":"N"}`},
		{"a group without a name", teamHost, "groups", `{"url_name":"ab"}`},
		{"a group's address taken", teamHost, "groups", `{"url_name":"taken","name":"N"}`},
		{"no members to add", teamHost, "groups/taken/members", `{"identities":[]}`},
		{"not a member to add", teamHost, "groups/taken/members", `{"identities":["grace"]}`},
		{"an address to add", teamHost, "groups/taken/members", `{"identities":["x@example.com"]}`},
		{"too large", public, "items", `{"title":"` + strings.Repeat("x", 1<<20) + `"}`},
	} {
		record(t, &table, row[0], s, "POST", row[1], row[2], row[3], ada)
	}
	record(t, &table, "a team's item to private", s, "PATCH", teamHost, "items/"+team, `{"private":true}`, ada)
	record(t, &table, "public to private", s, "PATCH", public, "items/"+id, `{"private":true}`, ada)
	routetest.Golden(t, "errors", []byte(table.String()))
}

func record(t *testing.T, table *strings.Builder, name string, s *testServer, method, host, path, body, token string) {
	t.Helper()
	w := s.call(method, host, "/api/v2/"+path, body, token)
	var got struct{ Message, Type string }
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Message == "" ||
		!regexp.MustCompile(`^[a-z0-9_]+$`).MatchString(got.Type) {
		t.Errorf("%s: %d %s", name, w.Code, w.Body)
	}
	if !slices.Contains([]int{400, 401, 403, 404, 500}, w.Code) {
		t.Errorf("%s: %d is not a status of the contract", name, w.Code)
	}
	fmt.Fprintf(table, "%-26s %d %-14s %s\n", name, w.Code, got.Type, got.Message)
}
