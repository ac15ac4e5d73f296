package labels_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/labels"
)

// call sends a request and reads the answer.
func call(
	t *testing.T, h *identitytest.Server, status int, method, target, body, auth string,
) map[string]any {
	t.Helper()
	headers := []string{"Authorization: Bearer " + auth}
	if body != "" {
		headers = append(headers, "Content-Type: application/json")
	}
	w := h.Call(method, target, body, headers...)
	var got map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatalf("%s %s: %v in %s", method, target, err, w.Body)
	}
	if w.Code != status {
		t.Fatalf("%s %s = %d, want %d: %s", method, target, w.Code, status, w.Body)
	}
	return got
}

const contract = `{"labelType":"SHARED","properties":{"title":"Contract","description":"what binds us"},"fields":[
	{"properties":{"displayName":"Partner","required":true},"textOptions":{"maxLength":80}},
	{"properties":{"displayName":"State"},"selectionOptions":{"choices":[{"properties":{"displayName":"signed"}}]}}]}`

// TestLife takes a label from its draft to its end.
func TestLife(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build(labels.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		ada, eve := h.Token("ada"), h.Token("eve")
		made := call(t, h, 200, "POST", "/v2/labels", contract, ada)
		id := made["id"].(string)
		if made["name"] != "labels/"+id+"@1" || made["lifecycle"].(map[string]any)["state"] != "UNPUBLISHED_DRAFT" ||
			len(made["fields"].([]any)) != 2 {
			t.Errorf("made = %v", made)
		}
		path := "/v2/labels/" + id
		call(t, h, 404, "GET", path, "", eve)
		call(t, h, 404, "POST", path+":publish", "{}", eve)
		call(t, h, 400, "POST", path+":disable", "{}", ada)
		if got := call(t, h, 200, "GET", "/v2/labels?publishedOnly=true", "", ada); len(got["labels"].([]any)) != 0 {
			t.Errorf("published labels = %v, want none", got)
		}
		published := call(t, h, 200, "POST", path+":publish", "", ada)
		if published["publishTime"] == nil || published["publisher"] == nil {
			t.Errorf("published = %v", published)
		}
		call(t, h, 400, "DELETE", path, "", ada)
		h.Clock.Advance(time.Hour)
		call(t, h, 400, "POST", path+":publish", "{}", ada)
		if got := call(t, h, 200, "GET", path, "", ada); got["publishTime"] != published["publishTime"] {
			t.Errorf("publishTime = %v after a second try, want %v", got["publishTime"], published["publishTime"])
		}
		call(t, h, 200, "POST", path+":disable", "{}", ada)
		call(t, h, 400, "POST", path+":publish", "{}", ada)
		call(t, h, 200, "POST", path+":enable", "{}", ada)
		if got := call(t, h, 200, "GET", path+"@1", "", ada); got["id"] != id {
			t.Errorf("got = %v", got)
		}
		call(t, h, 404, "GET", path+"@2", "", ada)
		call(t, h, 200, "POST", path+":disable", `{"useAdminAccess":false}`, ada)
		call(t, h, 200, "DELETE", path, "", ada)
		call(t, h, 404, "GET", path, "", ada)
	})
}

func TestLabelLimits(t *testing.T) {
	t.Parallel()
	c := labels.DefaultConfig()
	c.MaxLabels, c.MaxFields = 2, 1
	h := identitytest.SQLite(t, build(c))
	ada := h.Token("ada")
	field := func(options string) string {
		return `{"labelType":"SHARED","properties":{"title":"x"},"fields":[{"properties":{"displayName":"f"},` + options + `}]}`
	}
	two := `{"properties":{"displayName":"f"},"textOptions":{}}`
	for name, body := range map[string]string{
		"no type":         `{"properties":{"title":"x"}}`,
		"no title":        `{"labelType":"SHARED","properties":{}}`,
		"a long title":    `{"labelType":"SHARED","properties":{"title":"` + strings.Repeat("é", 51) + `"}}`,
		"a long text":     `{"labelType":"SHARED","properties":{"title":"x","description":"` + strings.Repeat("x", 251) + `"}}`,
		"two fields":      `{"labelType":"SHARED","properties":{"title":"x"},"fields":[` + two + `,` + two + `]}`,
		"no name":         `{"labelType":"SHARED","properties":{"title":"x"},"fields":[{"textOptions":{}}]}`,
		"no options":      `{"labelType":"SHARED","properties":{"title":"x"},"fields":[{"properties":{"displayName":"f"}}]}`,
		"two options":     field(`"textOptions":{},"userOptions":{}`),
		"a long field":    field(`"textOptions":{"maxLength":101}`),
		"lengths crossed": field(`"textOptions":{"minLength":9,"maxLength":3}`),
		"a large number":  field(`"integerOptions":{"maxValue":"9007199254740992"}`),
		"numbers crossed": field(`"integerOptions":{"minValue":"2","maxValue":"1"}`),
		"no number":       field(`"integerOptions":{"maxValue":"x"}`),
		"a date's form":   field(`"dateOptions":{"dateFormatType":"X"}`),
		"many users":      field(`"userOptions":{"listOptions":{"maxEntries":11}}`),
		"no choice":       field(`"selectionOptions":{}`),
		"unnamed choice":  field(`"selectionOptions":{"choices":[{}]}`),
		"a field's id":    field(`"id":"1","textOptions":{}`),
		"a choice's id":   field(`"selectionOptions":{"choices":[{"id":"1","properties":{"displayName":"c"}}]}`),
		"unknown member":  `{"labelType":"SHARED","properties":{"title":"x"},"nope":1}`,
	} {
		t.Run(name, func(t *testing.T) { call(t, h, 400, "POST", "/v2/labels", body, ada) })
	}
	for range 2 {
		call(t, h, 200, "POST", "/v2/labels", field(`"integerOptions":{"minValue":"1"}`), ada)
	}
	call(t, h, 429, "POST", "/v2/labels", field(`"dateOptions":{}`), ada)
	first := call(t, h, 200, "GET", "/v2/labels?pageSize=1", "", ada)
	next := call(t, h, 200, "GET", "/v2/labels?pageSize=1&pageToken="+first["nextPageToken"].(string), "", ada)
	if len(first["labels"].([]any)) != 1 || len(next["labels"].([]any)) != 1 || next["nextPageToken"] != nil {
		t.Errorf("pages = %v, %v", first, next)
	}
	call(t, h, 400, "GET", "/v2/labels?pageSize=x", "", ada)
	call(t, h, 400, "GET", "/v2/labels?publishedOnly=x", "", ada)
}

// TestAdminLabels: administrators make labels for all, and see those of others.
func TestAdminLabels(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(labels.DefaultConfig()))
	root, eve := h.Token("root"), h.Token("eve")
	yes := true
	if _, err := h.Identity.UpdateUser(t.Context(), h.User("root").ID, identity.UserChange{Admin: &yes}); err != nil {
		t.Fatal(err)
	}
	body := strings.Replace(contract, "SHARED", "ADMIN", 1)
	call(t, h, 403, "POST", "/v2/labels", body, root)
	call(t, h, 403, "POST", "/v2/labels?useAdminAccess=true", body, eve)
	made := call(t, h, 200, "POST", "/v2/labels?useAdminAccess=true", body, root)
	path := "/v2/labels/" + made["id"].(string)
	call(t, h, 404, "GET", path, "", eve)
	call(t, h, 200, "POST", path+":publish", `{"useAdminAccess":true}`, root)
	call(t, h, 200, "GET", path, "", eve)
	call(t, h, 403, "POST", path+":disable", "{}", eve)
	mine := call(t, h, 200, "POST", "/v2/labels", contract, eve)
	call(t, h, 404, "GET", "/v2/labels/"+mine["id"].(string), "", root)
	call(t, h, 200, "GET", "/v2/labels/"+mine["id"].(string)+"?useAdminAccess=true", "", root)

	for token, admin := range map[string]bool{root: true, eve: false} {
		got := call(t, h, 200, "GET", "/v2/users/me/capabilities?name=users/me/capabilities", "", token)
		want := map[string]any{
			"canAccessLabelManager": true, "canCreateSharedLabels": true,
			"canAdministrateLabels": admin, "canCreateAdminLabels": admin,
		}
		if !maps.Equal(got, want) {
			t.Errorf("capabilities = %v, want %v", got, want)
		}
	}
	call(t, h, 404, "GET", "/v2/users/999/capabilities", "", eve)
	if w := h.Call(http.MethodGet, "/v2/labels", ""); w.Code != http.StatusUnauthorized {
		t.Errorf("without a token: %d", w.Code)
	}
}

// TestLongLists: a page of the longest labels ends before it is too long, so that all of them can be read, and is
// refused where the memory that all share is used up.
func TestLongLists(t *testing.T) {
	t.Parallel()
	pool := budget.New(budget.Options{Name: "memory", Total: 32 << 20, PerOwner: 16 << 20})
	h := identitytest.SQLite(t, func(w *world.World, identity *identity.Identity) module.Module {
		w.Memory = pool
		return build(labels.DefaultConfig())(w, identity)
	})
	ada := h.Token("ada")
	repeat := func(one string, n int) string { return strings.TrimSuffix(strings.Repeat(one+",", n), ",") }
	choices := repeat(`{"properties":{"displayName":"`+strings.Repeat("\U0001F3DB", 50)+`"}}`, 200)
	fields := repeat(`{"properties":{"displayName":"f"},"selectionOptions":{"choices":[`+choices+`]}}`, 10)
	const made = 34 // more than the memory of one owner
	for range made {
		call(t, h, 200, "POST", "/v2/labels", `{"labelType":"SHARED","properties":{"title":"x"},"fields":[`+fields+`]}`, ada)
	}
	seen := map[string]bool{}
	for token, more := "", true; more; {
		page := call(t, h, 200, "GET", "/v2/labels?pageSize=200&pageToken="+token, "", ada)
		for _, l := range page["labels"].([]any) {
			seen[l.(map[string]any)["id"].(string)] = true
		}
		token, more = page["nextPageToken"].(string)
	}
	if len(seen) != made {
		t.Errorf("%d labels are on the pages, want %d", len(seen), made)
	}
	taken, err := pool.Take(t.Context(), budget.Caller("user:"+strconv.FormatInt(h.User("ada").ID, 10)), 15<<20)
	if err != nil {
		t.Fatal(err)
	}
	call(t, h, 429, "GET", "/v2/labels?pageSize=200", "", ada)
	taken.Release()
	if pool.Used() != 0 {
		t.Errorf("%d bytes are still held", pool.Used())
	}
}
