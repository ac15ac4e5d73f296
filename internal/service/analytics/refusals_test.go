package analytics_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/service/analytics"
)

// TestOtherMethodsAreNotOffered: the message of 551 names what the path has.
func TestOtherMethodsAreNotOffered(t *testing.T) {
	t.Parallel()
	d := newServer(t, "", nil)
	for path, want := range map[string]string{
		projects:                  "GET, HEAD, OPTIONS, POST, PUT",
		projects + "/1":           "DELETE, GET, HEAD, OPTIONS",
		locationsPath:             "GET, HEAD, OPTIONS, PUT",
		campaigns + "/a/collect":  "OPTIONS, PUT",
		campaigns + "/a/keywords": "GET, HEAD, OPTIONS",
	} {
		w := d.call("FOO", path, "")
		if w.Code != 551 || w.Header().Get("Allow") != want || !strings.Contains(w.Body.String(), "use "+want+`"`) {
			t.Errorf("FOO %s = %d, Allow %q, %.300s; want 551 and %s", path, w.Code, w.Header().Get("Allow"), w.Body, want)
		}
	}
	d.ok(t, 404, "FOO", "/apis/v4/nothing", "")
}

// TestRefusedListsAreNotCounted: mistakes do not use up what a minute allows.
func TestRefusedListsAreNotCounted(t *testing.T) {
	t.Parallel()
	onBoth(t, func(c *analytics.Config) { c.BulksPerMinute, c.MaxBulk = 2, 2 }, func(t *testing.T, d *testServer) {
		id := d.add(t, "Shop", nil)
		one := full(fmt.Sprintf(`"id":%q`, id))
		for _, bad := range []string{"[]", "[" + one + "," + one + "]", "[{},{},{}]", "{", "[" + one} {
			for range 3 {
				d.ok(t, 400, "PUT", locationsPath, bad)
			}
		}
		for range 2 {
			d.ok(t, 200, "PUT", locationsPath, "["+one+"]")
		}
		d.ok(t, 429, "PUT", locationsPath, "["+one+"]")
		d.Clock.Advance(time.Minute)
		d.ok(t, 200, "PUT", locationsPath, "["+one+"]")
	})
}

// TestProjectMembers: what a project has may be sent back; anything else is a mistake.
func TestProjectMembers(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, func(t *testing.T, d *testServer) {
		made := d.data(t, "POST", projects, `{"url":"back.example","tools":[],"permission":["OWNER"]}`)
		id := int64(made["project_id"].(float64))
		if owner, _ := made["owner_id"].(float64); owner < 1 {
			t.Errorf("owner_id is %v", made["owner_id"])
		}
		d.ok(t, 200, "PUT", projects, fmt.Sprintf(
			`{"project_id":%d,"project_name":"N","url":"back.example","domain_unicode":"x","owner_id":1,"tools":[]}`, id))
		d.ok(t, 200, "PUT", projects, fmt.Sprintf(`{"project_id":%d,"project_name":"N","url":"https://back.example/"}`, id))
		for _, other := range []string{`"other.example"`, `"no domain"`, `7`} {
			d.ok(t, 400, "PUT", projects, fmt.Sprintf(`{"project_id":%d,"project_name":"O","url":%s}`, id, other))
		}
		if name := d.data(t, "GET", fmt.Sprint(projects, "/", id), "")["project_name"]; name != "N" {
			t.Errorf("a refused change named the project %v", name)
		}
		d.ok(t, 400, "POST", projects, `{"url":"ftp://x.example"}`)
		d.ok(t, 200, "GET", campaigns+"?query="+strings.Repeat("q", 255), "")
		d.ok(t, 400, "GET", campaigns+"?query="+strings.Repeat("q", 256), "")
		for _, row := range [][2]string{
			{"POST", `{"url":"x.example","project_nam":"N"}`},
			{"PUT", fmt.Sprintf(`{"project_id":%d,"project_name":"M","color":"red"}`, id)},
		} {
			got := d.ok(t, 400, row[0], projects, row[1])
			if text := fmt.Sprint(got["error"]); !strings.Contains(text, "is not a known member") {
				t.Errorf("%s %s: %s", row[0], row[1], text)
			}
		}
	})
}

// TestUnknownMembers: a misspelt member is refused by its path, also inside of others, and what was read may be sent
// back.
func TestUnknownMembers(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, func(t *testing.T, d *testServer) {
		id := d.add(t, "Shop", nil)
		path := locationsPath + "/" + id
		for body, member := range map[string]string{
			full(`"webSite":"http://x.example"`):                          "webSite",
			full(`"coordinates":{"lat":1,"lng":2,"alt":3}`):               "coordinates.alt",
			full(`"holidayHours":[{"type":"CLOSED","day":"x","till":1}]`): "holidayHours[0].till",
			full(`"status":"CLOSED"`):                                     "status",
			full(`"countryCode":"AQ"`):                                    "countryCode",
			full(`"errors":[{"code":"A","message":"b"}]`):                 "errors",
		} {
			refused := fmt.Sprint(d.ok(t, 400, "PUT", path, body))
			if !strings.Contains(refused, member) {
				t.Errorf("%s: %s, want %s named", body, refused, member)
			}
		}
		for _, location := range d.data(t, "GET", locationsPath, "")["content"].([]any) {
			text, err := json.Marshal(location)
			if err != nil {
				t.Fatal(err)
			}
			d.ok(t, 200, "PUT", path, string(text))
		}
		for _, body := range []string{
			`{"nmae":"x"}`, `{"gridSettings":{"tempalte":"3x3"}}`, `{"points":[{"coordinates":{"lat":1,"lng":2,"alt":3}}]}`,
			`{"collectingFrequency":{"frequenci":"WEEKLY"}}`,
		} {
			for method, path := range map[string]string{"POST": campaigns, "PATCH": campaigns + "/x"} {
				if refused := fmt.Sprint(d.ok(t, 400, method, path, body)); !strings.Contains(refused, "is not a known member") {
					t.Errorf("%s %s: %s", method, body, refused)
				}
			}
		}
		d.ok(t, 400, "PUT", campaigns+"/x/collect", `{"reportDate":"2026-01-01"}`)
	})
}
