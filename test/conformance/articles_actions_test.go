package conformance_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/test/conformance"
)

func articleActions(t *testing.T, d articleServer) {
	d.h.Command(t, "team add", map[string][]string{"name": {"garden"}, "owner": {"ada"}, "member": {"grace"}})
	const garden = "garden.localhost"
	react := func(path, name string) *conformance.Answer {
		return d.call(t, "POST", garden, path+"/reactions", d.ada, `{"name":"`+name+`"}`)
	}
	old := conformance.Text(t, d.item(t, garden, "Old", "x"), "id")
	d.h.Clock.Advance(48 * time.Hour)
	late := conformance.Text(t, d.item(t, garden, "Late", "y"), "id")
	comment := conformance.Text(t,
		d.call(t, "POST", garden, "items/"+old+"/comments", d.grace, `{"body":"x"}`).Want(t,
			http.StatusCreated).Object(t), "id")
	react("items/"+old, "heart").Want(t, http.StatusCreated)
	react("comments/"+comment, "+1").Want(t, http.StatusCreated)
	action := func() map[string]any { return rows(t, d.get(t, garden, "items/reactions?page=2&per_page=1"))[0] }
	t.Run("F-12", func(t *testing.T) {
		x := action()["reactions"].([]any)[0].(map[string]any)
		conformance.Only(t, x, "created_at", "image_url", "name", "user_id")
		wantTimes(t, x, "created_at")
		if conformance.Text(t, x, "name") != "heart" || conformance.Text(t, x, "user_id") != "ada" ||
			!strings.HasPrefix(conformance.Text(t, x, "image_url"), "data:image/svg+xml,") {
			t.Errorf("reaction = %v", x)
		}
		articleRefused(t, react("items/"+old, "nonsense"), http.StatusBadRequest, "bad_request")
		react("items/"+old, "heart").Want(t, http.StatusCreated)
		if got := conformance.Integer(t, d.get(t, garden, "items/"+old).Object(t), "reactions_count"); got != 1 {
			t.Errorf("reactions_count after a repeat: got %d, want 1", got)
		}
	})
	t.Run("F-13", func(t *testing.T) {
		a := action()
		conformance.Only(t, a, "id", "title", "url", "user_id", "created_at", "updated_at", "page_views_count",
			"comments", "reactions")
		wantTimes(t, a, "created_at", "updated_at")
		conformance.Integer(t, a, "page_views_count")
		c := a["comments"].([]any)[0].(map[string]any)
		conformance.Only(t, c, "id", "created_at", "updated_at", "user_id", "reactions")
		if conformance.Text(t, c, "id") != comment || conformance.Text(t, c, "user_id") != "grace" ||
			len(c["reactions"].([]any)) != 1 {
			t.Errorf("comment = %v", c)
		}
	})
	t.Run("F-37", func(t *testing.T) {
		ids := func(query string) []string {
			return member(t, rows(t, d.get(t, garden, "items/reactions"+query)), "id")
		}
		wantOrder(t, ids(""), late, old)
		day := d.h.Clock.Now().Format("2006-01-02")
		for query, want := range conformance.InOrder(map[string][]string{
			"created:>=" + day: {late}, "created:<" + day: {old}, "created:" + day: {late}, "created:>" + day: {},
			"tag:X": {old}, "-late": {old}, "created:never": {},
		}) {
			wantOrder(t, ids("?query="+strings.NewReplacer("<", "%3C", ">", "%3E").Replace(query)), want...)
		}
		for _, wrong := range []string{"?page=x", "?per_page=x"} {
			articleRefused(t, d.call(t, "GET", garden, "items/reactions"+wrong, d.ada, ""), http.StatusBadRequest,
				"bad_request")
		}
		articleRefused(t, d.call(t, "GET", "", "items/reactions", d.ada, ""), http.StatusNotFound, "not_found")
	})
	t.Run("F-08", func(t *testing.T) {
		d.call(t, "POST", garden, "groups", d.ada,
			`{"url_name":"dev","name":"Developers","description":"d","private":false}`).Want(t, http.StatusCreated)
		item := d.call(t, "POST", garden, "items", d.ada,
			`{"title":"T","body":"b","tags":[],"group_url_name":"dev"}`).Want(t, http.StatusCreated).Object(t)
		group := conformance.Sub(t, item, "group")
		conformance.Only(t, group, "created_at", "updated_at", "description", "name", "private", "url_name")
		wantTimes(t, group, "created_at", "updated_at")
		if conformance.Text(t, group, "url_name") != "dev" || group["private"] != false {
			t.Errorf("group = %v", group)
		}
		articleRefused(t, d.call(t, "POST", garden, "items", d.ada,
			`{"title":"T","body":"b","group_url_name":"ops"}`), http.StatusBadRequest, "bad_request")
		articleRefused(t, d.call(t, "POST", garden, "groups", d.ada, `{"url_name":"dev","name":"Again"}`),
			http.StatusBadRequest, "bad_request")
	})
	t.Run("taking a reaction away", func(t *testing.T) {
		d.call(t, "DELETE", garden, "items/"+old+"/reactions/heart", d.ada, "").Want(t, http.StatusNoContent)
		articleRefused(t, d.call(t, "DELETE", garden, "items/"+old+"/reactions/heart", d.ada, ""),
			http.StatusNotFound, "not_found")
		if got := conformance.Integer(t, d.get(t, garden, "items/"+old).Object(t), "reactions_count"); got != 0 {
			t.Errorf("reactions_count: got %d, want 0", got)
		}
	})
}
