package conformance_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/conformance"
)

func (d articleServer) put(t *testing.T, host, path string) {
	t.Helper()
	d.call(t, "PUT", host, path, d.ada, "").Want(t, http.StatusNoContent)
}

func articleRelations(t *testing.T, d articleServer) {
	old, late := conformance.Text(t, d.item(t, "", "Old", "Marks"), "id"), conformance.Text(t,
		d.item(t, "", "Late", "Signs"), "id")
	d.put(t, "", "items/"+old+"/like")
	d.call(t, "PUT", "", "items/"+old+"/like", d.grace, "").Want(t, http.StatusNoContent)
	d.put(t, "", "items/"+old+"/like") // a repeat counts once
	t.Run("F-11", func(t *testing.T) {
		like := rows(t, d.get(t, "", "items/"+old+"/likes"))[0]
		conformance.Only(t, like, "created_at", "user")
		wantTimes(t, like, "created_at")
		wantUser(t, conformance.Sub(t, like, "user"))
	})
	t.Run("F-44", func(t *testing.T) {
		var who []string
		for _, like := range rows(t, d.get(t, "", "items/"+old+"/likes")) {
			who = append(who, conformance.Text(t, like, "user", "id"))
		}
		wantOrder(t, who, "grace", "ada")
		if got := conformance.Integer(t, d.get(t, "", "items/"+old).Object(t), "likes_count"); got != 2 {
			t.Errorf("likes_count: got %d, want 2", got)
		}
		articleRefused(t, d.call(t, "GET", lyceum, "items/"+old+"/likes", d.ada, ""), http.StatusNotFound, "not_found")
	})
	t.Run("F-82", func(t *testing.T) {
		for method, path := range conformance.InOrder(map[string]string{"GET": "likes", "PUT": "like", "DELETE": "like"}) {
			articleRefused(t, d.call(t, method, lyceum, "items/"+old+"/"+path, d.ada, ""), http.StatusNotFound,
				"not_found")
		}
	})
	t.Run("F-49", func(t *testing.T) {
		d.put(t, "", "items/"+late+"/stock")
		d.put(t, "", "items/"+old+"/stock")
		wantOrder(t, member(t, rows(t, d.get(t, "", "users/ada/stocks")), "title"), "Old", "Late")
		wantOrder(t, member(t, rows(t, d.get(t, "", "users/ada/stocks?per_page=1&page=2")), "title"), "Late")
		d.call(t, "DELETE", "", "items/"+old+"/stock", d.ada, "").Want(t, http.StatusNoContent)
		wantOrder(t, member(t, rows(t, d.get(t, "", "users/ada/stocks")), "title"), "Late")
		if got := conformance.Integer(t, d.get(t, "", "items/"+old).Object(t), "stocks_count"); got != 0 {
			t.Errorf("stocks_count: got %d, want 0", got)
		}
	})
	follows := func() []string { return member(t, rows(t, d.get(t, "", "users/ada/following_tags")), "id") }
	t.Run("F-52", func(t *testing.T) {
		d.put(t, "", "tags/signs/following")
		d.put(t, "", "tags/marks/following")
		wantOrder(t, follows(), "Marks", "Signs")
	})
	t.Run("F-50", func(t *testing.T) {
		wantOrder(t, member(t, rows(t, d.get(t, "", "users/ada/following_tags?per_page=1&page=2")), "id"), "Signs")
	})
	t.Run("F-51", func(t *testing.T) {
		tag := d.get(t, "", "tags/signs/following").Object(t)
		if conformance.Text(t, tag, "id") != "Signs" || conformance.Integer(t, tag, "followers_count") != 1 {
			t.Errorf("tag = %v", tag)
		}
		articleRefused(t, d.call(t, "GET", "", "tags/signs/following", d.grace, ""), http.StatusNotFound, "not_found")
	})
	t.Run("F-53", func(t *testing.T) {
		d.call(t, "DELETE", "", "tags/marks/following", d.ada, "").Want(t, http.StatusNoContent)
		wantOrder(t, follows(), "Signs")
	})
	id := conformance.Text(t, d.item(t, lyceum, "To tag"), "id")
	tag := func(body string) *conformance.Answer {
		return d.call(t, "POST", lyceum, "items/"+id+"/taggings", d.ada, body)
	}
	t.Run("F-15", func(t *testing.T) {
		made := tag(`{"name":"Rails","versions":["2.0"]}`).Want(t, http.StatusCreated).Object(t)
		conformance.Only(t, made, "name", "versions")
		if fmt.Sprint(made) != "map[name:Rails versions:[2.0]]" {
			t.Errorf("tagging = %v", made)
		}
	})
	t.Run("F-54", func(t *testing.T) {
		tag(`{"name":"Bare"}`).Want(t, http.StatusCreated)
		articleRefused(t, tag(`{"versions":[]}`), http.StatusBadRequest, "bad_request")
		articleRefused(t, d.call(t, "POST", "", "items/"+old+"/taggings", d.ada, `{"name":"x"}`), http.StatusNotFound,
			"not_found")
	})
	t.Run("F-55", func(t *testing.T) {
		d.call(t, "DELETE", lyceum, "items/"+id+"/taggings/Rails", d.ada, "").Want(t, http.StatusNoContent)
		if got := fmt.Sprint(d.get(t, lyceum, "items/"+id).Object(t)["tags"]); got != "[map[name:Bare versions:[]]]" {
			t.Errorf("tags: got %s", got)
		}
		if got := conformance.Integer(t, d.get(t, lyceum, "tags/rails").Object(t), "items_count"); got != 0 {
			t.Errorf("items_count: got %d, want 0", got)
		}
		articleRefused(t, d.call(t, "DELETE", lyceum, "items/"+id+"/taggings/Rails", d.ada, ""), http.StatusNotFound,
			"not_found")
	})
}

func articleRules(t *testing.T, d articleServer) {
	t.Run("F-10", func(t *testing.T) {
		articleRefused(t, d.call(t, "GET", "", "projects/1/comments", d.ada, ""), http.StatusNotFound, "not_found")
	})
	t.Run("F-63", func(t *testing.T) {
		for _, call := range []string{"GET projects", "POST projects", "GET projects/1", "PATCH projects/1",
			"DELETE projects/1", "POST imported_projects"} {
			method, path, _ := strings.Cut(call, " ")
			for _, host := range []string{"", lyceum} {
				articleRefused(t, d.call(t, method, host, path, d.ada, "{}"), http.StatusNotFound, "not_found")
			}
		}
	})
	id := conformance.Text(t, d.item(t, "", "Ruled", "Rules"), "id")
	t.Run("F-25", func(t *testing.T) {
		articleRefused(t, d.call(t, "TRACE", "", "items/"+id, d.ada, ""), http.StatusNotFound, "not_found")
		articleRefused(t, d.call(t, "PUT", "", "items/"+id, d.ada, "{}"), http.StatusNotFound, "not_found")
	})
	t.Run("F-26", func(t *testing.T) {
		if got := rows(t, d.get(t, "", "items?per_page=1&page=2")); len(got) != 1 || got[0]["id"] == id {
			t.Errorf("page 2 = %v", got)
		}
		articleRefused(t, d.h.Do(t, conformance.Call{
			Method: "POST", Path: "/api/v2/items/" + id + "/comments", Bearer: d.ada, Body: "body=x",
			Header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
		}), http.StatusBadRequest, "bad_request")
	})
	t.Run("F-27", func(t *testing.T) {
		if got := d.get(t, "", "items/"+id).Header.Get("Content-Type"); !strings.HasPrefix(got, "application/json") {
			t.Errorf("Content-Type: got %q", got)
		}
		if a := d.call(t, "PUT", "", "items/"+id+"/stock", d.ada, "").Want(t, http.StatusNoContent); len(a.Body) != 0 {
			t.Errorf("body of a 204: got %q", a.Body)
		}
	})
	t.Run("F-74", func(t *testing.T) {
		for _, row := range []struct {
			method, path, body string
			want               int
		}{
			{"GET", "items/" + id, "", 200},
			{"PATCH", "items/" + id, `{"title":"Renamed"}`, 200},
			{"POST", "items/" + id + "/comments", `{"body":"x"}`, 201},
			{"PUT", "items/" + id + "/like", "", 204},
			{"DELETE", "items/" + id + "/like", "", 204},
		} {
			d.call(t, row.method, "", row.path, d.ada, row.body).Want(t, row.want)
		}
	})
	t.Run("F-72", func(t *testing.T) {
		for want, a := range conformance.InOrder(map[int]*conformance.Answer{
			400: d.call(t, "POST", "", "items", d.ada, `{"title":`), 401: d.call(t, "POST", "", "items", "", `{}`),
			403: d.call(t, "POST", "", "items", d.reader, `{}`), 404: d.call(t, "GET", "", "nothing", d.ada, ""),
		}) {
			a.Want(t, want)
		}
		d.call(t, "POST", "", "items", d.ada,
			`{"title":"`+strings.Repeat("x", 300)+`","body":"b","tags":[{"name":"x"}]}`).Want(t, http.StatusBadRequest)
	})
	t.Run("F-81", func(t *testing.T) {
		d.get(t, "", "tags")
		if a := d.h.Do(t, conformance.Call{Path: "/api/v1/tags", Bearer: d.ada}); a.Status != http.StatusNotFound {
			t.Errorf("another prefix: %d, want 404", a.Status)
		}
	})
}

func articlePaging(t *testing.T, d articleServer) {
	id := conformance.Text(t, d.item(t, lyceum, "Long talk", "talk"), "id")
	path := "items/" + id + "/comments"
	for n := range 25 {
		d.call(t, "POST", lyceum, path, d.ada, fmt.Sprintf(`{"body":"%d"}`, n)).Want(t, http.StatusCreated)
	}
	first := func(query string) string {
		return conformance.Text(t, rows(t, d.get(t, lyceum, path+query))[0], "body")
	}
	t.Run("F-28", func(t *testing.T) { articleLists(t, d, id) })
	t.Run("F-78", func(t *testing.T) {
		if first("") != "24" || first("?page=2") != "4" {
			t.Errorf("pages begin with %s and %s, want 24 and 4", first(""), first("?page=2"))
		}
		for _, wrong := range []string{"0", "101", "x", "-1"} {
			articleRefused(t, d.call(t, "GET", lyceum, path+"?page="+wrong, d.ada, ""), http.StatusBadRequest,
				"bad_request")
		}
		d.get(t, lyceum, path+"?page=100")
	})
	t.Run("F-79", func(t *testing.T) {
		if got := len(rows(t, d.get(t, lyceum, path))); got != 20 {
			t.Errorf("rows: got %d, want 20", got)
		}
		if got := len(rows(t, d.get(t, lyceum, path+"?per_page=100"))); got != 25 {
			t.Errorf("rows: got %d, want 25", got)
		}
		for _, wrong := range []string{"0", "101", "x"} {
			articleRefused(t, d.call(t, "GET", lyceum, path+"?per_page="+wrong, d.ada, ""), http.StatusBadRequest,
				"bad_request")
		}
	})
	t.Run("F-80", func(t *testing.T) {
		a := d.get(t, lyceum, path+"?page=2&per_page=10")
		if got := a.Header.Get("Total-Count"); got != "25" {
			t.Errorf("Total-Count: got %q, want 25", got)
		}
		for rel, page := range conformance.InOrder(map[string]string{"first": "1", "prev": "1", "next": "3", "last": "3"}) {
			if !strings.Contains(a.Header.Get("Link"), "/api/v2/"+path+"?page="+page+`&per_page=10>; rel="`+rel+`"`) {
				t.Errorf("Link: no %s with page %s in %q", rel, page, a.Header.Get("Link"))
			}
		}
	})
}

// articleLists asks every list for two pages of one row, which must be the two rows
// of a page of two.
func articleLists(t *testing.T, d articleServer, talk string) {
	another := conformance.Text(t, d.item(t, lyceum, "Short talk", "talk", "chat"), "id")
	public := conformance.Text(t, d.item(t, "", "Public talk", "talk", "chat"), "id")
	other := conformance.Text(t, d.item(t, "", "Other talk", "talk"), "id")
	comment := conformance.Text(t, d.call(t, "POST", lyceum, "items/"+another+"/comments", d.ada, `{"body":"x"}`).
		Want(t, http.StatusCreated).Object(t), "id")
	kurt := d.h.Token(t, "kurt", "articles")
	d.call(t, "POST", "", "items", d.grace, `{"title":"t","body":"b","tags":[{"name":"talk"}]}`).
		Want(t, http.StatusCreated)
	for _, put := range []struct{ host, path, token string }{
		{lyceum, "items/" + talk + "/stock", d.ada}, {lyceum, "items/" + another + "/stock", d.ada},
		{lyceum, "items/" + talk + "/stock", d.grace}, {lyceum, "tags/talk/following", d.ada},
		{lyceum, "tags/chat/following", d.ada}, {"", "items/" + public + "/stock", d.ada},
		{"", "items/" + other + "/stock", d.ada}, {"", "items/" + public + "/stock", d.grace},
		{"", "items/" + public + "/like", d.ada}, {"", "items/" + public + "/like", d.grace},
		{"", "tags/talk/following", d.ada}, {"", "tags/chat/following", d.ada},
		{"", "users/grace/following", d.ada}, {"", "users/kurt/following", d.ada},
		{"", "users/ada/following", d.grace}, {"", "users/ada/following", kurt},
	} {
		d.call(t, "PUT", put.host, put.path, put.token, "").Want(t, http.StatusNoContent)
	}
	for _, post := range [][2]string{
		{"templates", `{"name":"one","title":"t","body":"b","tags":[]}`},
		{"templates", `{"name":"two","title":"t","body":"b","tags":[]}`},
		{"groups", `{"url_name":"one","name":"One"}`}, {"groups", `{"url_name":"two","name":"Two"}`},
		{"groups/one/members", `{"identities":["grace"]}`},
		{"items/" + talk + "/reactions", `{"name":"heart"}`}, {"items/" + talk + "/reactions", `{"name":"tada"}`},
		{"comments/" + comment + "/reactions", `{"name":"heart"}`},
		{"comments/" + comment + "/reactions", `{"name":"tada"}`},
	} {
		d.call(t, "POST", lyceum, post[0], d.ada, post[1]).Want(t, http.StatusCreated)
	}
	both := []string{
		"items", "items?query=talk", "tags", "tags?sort=name", "tags/talk/items", "users", "users/ada/items",
		"users/ada/stocks", "users/ada/following_tags", "authenticated_user/items",
	}
	for host, lists := range conformance.InOrder(map[string][]string{
		"": append([]string{
			"items/" + public + "/likes", "items/" + public + "/stockers", "users/ada/followees", "users/ada/followers",
		}, both...),
		lyceum: append([]string{
			"items/" + talk + "/comments", "items/" + talk + "/stockers", "items/" + talk + "/reactions",
			"comments/" + comment + "/reactions", "items/reactions", "templates", "groups", "groups/one/members",
			"teams", "team_memberships",
		}, both...),
	}) {
		for _, list := range lists {
			wantPages(t, d, host, list)
		}
	}
}

// wantPages compares two pages of one row with a page of two.
func wantPages(t *testing.T, d articleServer, host, list string) {
	t.Helper()
	separator := "?"
	if strings.Contains(list, "?") {
		separator = "&"
	}
	page := func(page, size, rowsWanted int) ([]map[string]any, int) {
		t.Helper()
		a := d.get(t, host, fmt.Sprintf("%s%spage=%d&per_page=%d", list, separator, page, size))
		total, err := strconv.Atoi(a.Header.Get("Total-Count"))
		got := rows(t, a)
		if err != nil || len(got) != rowsWanted {
			t.Fatalf("%s at %q, page %d of %d: got %d rows, %v, want %d", list, host, page, size, len(got), err,
				rowsWanted)
		}
		return got, total
	}
	whole, total := page(1, 2, 2)
	first, totalOfFirst := page(1, 1, 1)
	second, totalOfSecond := page(2, 1, 1)
	if total < 2 || totalOfFirst != total || totalOfSecond != total {
		t.Errorf("%s at %q: totals %d, %d and %d, want the same of at least 2", list, host, total, totalOfFirst,
			totalOfSecond)
	}
	if fmt.Sprint(first[0]) != fmt.Sprint(whole[0]) || fmt.Sprint(second[0]) != fmt.Sprint(whole[1]) {
		t.Errorf("%s at %q: pages hold %v and %v, want %v", list, host, first, second, whole)
	}
	if fmt.Sprint(first[0]) == fmt.Sprint(second[0]) {
		t.Errorf("%s at %q: both pages hold %v", list, host, first)
	}
	if total < 100 {
		page(total+1, 1, 0)
	}
}

func articleTeam(t *testing.T, d articleServer) {
	d.h.Command(t, "user add", map[string][]string{"name": {"alan"}, "email": {"alan@example.com"}})
	d.h.User(t, "kurt")
	d.h.Clock.Advance(time.Minute)
	d.h.Command(t, "team add", map[string][]string{"name": {"academy"}, "owner": {"ada"}, "member": {"grace", "alan"}})
	const academy = "academy.localhost"
	t.Run("F-16", func(t *testing.T) {
		team := rows(t, d.get(t, lyceum, "teams"))[0]
		conformance.Only(t, team, "id", "name", "active")
		if team["active"] != true || conformance.Text(t, team, "id") != "academy" ||
			conformance.Text(t, team, "name") == "" {
			t.Errorf("team = %v", team)
		}
	})
	t.Run("F-56", func(t *testing.T) {
		wantOrder(t, member(t, rows(t, d.get(t, lyceum, "teams")), "id"), "academy", "lyceum")
		articleRefused(t, d.call(t, "GET", "", "teams", d.ada, ""), http.StatusNotFound, "not_found")
	})
	members := func(token string) map[string]map[string]any {
		out := map[string]map[string]any{}
		for _, m := range rows(t, d.call(t, "GET", academy, "team_memberships", token, "").Want(t, http.StatusOK)) {
			out[conformance.Text(t, m, "id")] = m
		}
		return out
	}
	t.Run("F-17", func(t *testing.T) {
		for _, m := range members(d.ada) {
			conformance.Only(t, m, "id", "name", "description", "email", "last_accessed_at")
			for name := range m {
				conformance.Text(t, m, name)
			}
		}
	})
	t.Run("F-57", func(t *testing.T) {
		if got := members(d.ada); len(got) != 3 || got["grace"] == nil {
			t.Errorf("members = %v", got)
		}
		articleRefused(t, d.call(t, "GET", "", "team_memberships", d.ada, ""), http.StatusNotFound, "not_found")
	})
	t.Run("F-18", func(t *testing.T) {
		if m := members(d.grace)["ada"]; conformance.Text(t, m, "email") != "" ||
			conformance.Text(t, m, "last_accessed_at") != "" {
			t.Errorf("a plain member sees %v", m)
		}
		if m := members(d.ada)["grace"]; conformance.Text(t, m, "last_accessed_at") == "" {
			t.Errorf("the owner sees %v", m)
		}
		for token, want := range conformance.InOrder(map[string]string{d.grace: "", d.ada: "alan@example.com"}) {
			if got := conformance.Text(t, members(token)["alan"], "email"); got != want {
				t.Errorf("email: got %q, want %q", got, want)
			}
		}
	})
	remove := func(name, token string) *conformance.Answer {
		return d.call(t, "DELETE", academy, "remove_team_member/"+name, token, "")
	}
	t.Run("F-59", func(t *testing.T) {
		articleRefused(t, remove("ada", d.ada), http.StatusForbidden, "forbidden")
		articleRefused(t, remove("ada", d.grace), http.StatusForbidden, "forbidden")
		articleRefused(t, remove("alan", d.grace), http.StatusForbidden, "forbidden")
		if got := members(d.ada); len(got) != 3 || got["ada"] == nil {
			t.Errorf("members = %v, want three", got)
		}
	})
	t.Run("F-58", func(t *testing.T) {
		remove("alan", d.ada).Want(t, http.StatusNoContent)
		if got := members(d.ada); len(got) != 2 || got["alan"] != nil {
			t.Errorf("members = %v, want ada and grace", got)
		}
		articleRefused(t, remove("kurt", d.ada), http.StatusNotFound, "not_found")
	})
}

func articleRates(t *testing.T, open opener) {
	h := open(t, conformance.Options{Configure: func(c *app.Config) {
		c.Listen.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	}})
	h.User(t, "ada")
	token := h.Token(t, "ada", "articles")
	left := func(a *conformance.Answer) int {
		n, err := strconv.Atoi(a.Header.Get("Rate-Remaining"))
		if err != nil {
			t.Fatalf("Rate-Remaining of %v: %v", a, err)
		}
		return n
	}
	from := func(address string) *conformance.Answer {
		return h.Do(t, conformance.Call{Path: "/api/v2/tags",
			Header: http.Header{"X-Forwarded-For": {address}, "X-Forwarded-Proto": {"https"}}})
	}
	t.Run("F-23", func(t *testing.T) {
		// Plain HTTP is for the machine itself; from elsewhere it is not served.
		articleRefused(t, from("192.0.2.1"), http.StatusForbidden, "forbidden")
	})
	t.Run("F-77", func(t *testing.T) {
		a := h.Do(t, conformance.Call{Path: "/api/v2/tags", Bearer: token}).Want(t, http.StatusOK)
		b := h.Do(t, conformance.Call{Path: "/api/v2/tags", Bearer: token}).Want(t, http.StatusOK)
		if left(a) != 999 || left(b) != 998 {
			t.Errorf("remaining: got %d and %d, want 999 and 998", left(a), left(b))
		}
	})
	t.Run("F-76", func(t *testing.T) {
		for range 60 {
			from("127.0.0.7").Want(t, http.StatusOK)
		}
		articleRefused(t, from("127.0.0.7"), http.StatusForbidden, "rate_limit_exceeded")
		from("127.0.0.8").Want(t, http.StatusOK)
		h.Clock.Advance(time.Hour)
		from("127.0.0.7").Want(t, http.StatusOK)
	})
	t.Run("F-75", func(t *testing.T) {
		for n := range 1000 {
			if a := h.Do(t, conformance.Call{Path: "/api/v2/tags", Bearer: token}); a.Status != http.StatusOK {
				t.Fatalf("request %d: %v", n+1, a)
			}
		}
		articleRefused(t, h.Do(t, conformance.Call{Path: "/api/v2/tags", Bearer: token}), http.StatusForbidden,
			"rate_limit_exceeded")
	})
}
