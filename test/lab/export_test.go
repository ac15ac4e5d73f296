package lab_test

import (
	"bytes"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/test/program"
)

// TestExport carries a world to another lab and to a server of its own.
func TestExport(t *testing.T) {
	here, there := open(t, t.TempDir()), open(t, t.TempDir())
	w := here.create(t, `{"name":"first","seed":7,"clock":{"mode":"frozen","now":"2031-05-06T07:08:09Z"}}`)
	w.ask(t, "POST", tasksPath, "", `{"title":"carried along"}`).want(t, http.StatusOK)
	w.ask(t, "POST", calendarEvents, "", `{"summary":"x",`+wholeDay+`}`).want(t, http.StatusOK)
	w.settle(t)
	file := here.call(t, "GET", w.path()+"/export", "").want(t, http.StatusOK).body
	if again := here.call(t, "GET", w.path()+"/export", "").body; !bytes.Equal(file, again) {
		t.Error("the same world gave two files")
	}
	t.Run("another lab answers the same", func(t *testing.T) {
		a, err := send(there.http, "POST", there.url+"/lab/v1/worlds/import", there.token, string(file))
		if err != nil {
			t.Fatal(err)
		}
		imported := there.world(t, a.want(t, http.StatusCreated))
		for _, path := range []string{
			tasksPath, calendarEvents, "/calendar/v3/users/me/calendarList", "/users/ada/events", "/api/v2/items",
			"/api/v2/users", "/v1beta/models",
		} {
			a, b := w.ask(t, "GET", path, "", ""), imported.ask(t, "GET", path, "", "")
			// The port is what differs.
			want := strings.ReplaceAll(string(a.body), w.URL, imported.URL)
			if a.status != b.status || string(b.body) != want || a.header.Get("Date") != b.header.Get("Date") {
				t.Errorf("%s: %v\nwant %d %s", path, b, a.status, want)
			}
		}
	})
	t.Run("a server takes the folder", func(t *testing.T) {
		binary, err := program.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "data")
		if dialect, _, err := lab.Unpack(bytes.NewReader(file), dir); err != nil || dialect != "sdk" {
			t.Fatalf("dialect %q, %v; want that of the world", dialect, err)
		}
		if _, _, err := lab.Unpack(bytes.NewReader(file), dir); err == nil {
			t.Error("a folder that is in use was written over")
		}
		p, err := program.Start(t.Context(), program.Options{Binary: binary, Data: dir})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Kill)
		a, err := send(here.http, "GET", p.URL+tasksPath, w.Env["STOA_TOKEN"], "")
		if err != nil || a.status != 200 || !strings.Contains(string(a.body), "carried along") {
			t.Errorf("%v, %v; want the world's lists", a, err)
		}
	})
}
