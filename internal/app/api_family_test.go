package app_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
)

// TestDescriptions: every API of the family describes all its operations, and every
// reference in a description leads somewhere.
func TestDescriptions(t *testing.T) {
	c := config(t)
	c.BaseURL = "http://127.0.0.1:1"
	a, err := app.New(t.Context(), app.Options{
		Config: c, Clock: clock.NewVirtual(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)), IDs: ids.Seeded(1), NoHTTP: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	get := func(path string, into any) {
		t.Helper()
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if err := json.Unmarshal(w.Body.Bytes(), into); w.Code != 200 || err != nil {
			t.Fatalf("%s: %d %v %.200s", path, w.Code, err, w.Body)
		}
	}
	var list struct {
		Items []struct{ DiscoveryRestURL string }
	}
	get("/discovery/v1/apis", &list)
	described := map[string]int{}
	for _, item := range list.Items {
		var d struct {
			Name      string
			BatchPath string
			Schemas   map[string]json.RawMessage
			Resources map[string]struct{ Methods map[string]json.RawMessage }
		}
		get(strings.TrimPrefix(item.DiscoveryRestURL, c.BaseURL), &d)
		all, _ := json.Marshal(d)
		for _, ref := range strings.Split(string(all), `"$ref":"`)[1:] {
			name, _, _ := strings.Cut(ref, `"`)
			if d.Schemas[name] == nil {
				t.Errorf("%s: no schema %s", d.Name, name)
			}
		}
		for _, r := range d.Resources {
			described[d.Name] += len(r.Methods)
		}
	}
	for _, m := range a.Modules() {
		if m.API != nil && described[m.API.Name] != len(m.Routes) {
			t.Errorf("%s: %d operations described, %d in the table", m.Name, described[m.API.Name], len(m.Routes))
		}
	}
	if len(described) != 3 {
		t.Errorf("described: %v, want three APIs", described)
	}
}
