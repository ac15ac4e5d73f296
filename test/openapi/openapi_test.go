package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/lab/control"
	"stoa.dev/stoa/test/openapi/answers"
	"stoa.dev/stoa/test/program"
)

// generated is what the code says today, read once for all tests.
var generated = sync.OnceValues(func() (map[string][]byte, error) { return generate(context.Background()) })

// TestDescriptions: the files in docs/openapi are what the code says today, and
// they are sound.
func TestDescriptions(t *testing.T) {
	t.Parallel()
	files, err := generated()
	if err != nil {
		t.Fatal(err)
	}
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range modules() {
		text := files[m.Name+".json"]
		if len(m.Routes) == 0 {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			kept, err := os.ReadFile(filepath.Join(root, "docs", "openapi", m.Name+".json"))
			if err != nil || !bytes.Equal(kept, text) {
				t.Errorf("docs/openapi/%s.json is not what the code says: run make openapi (%v)", m.Name, err)
			}
			sound(t, text)
		})
	}
}

// TestLab: every call of the control API is described, in words.
func TestLab(t *testing.T) {
	t.Parallel()
	files, err := generated()
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Paths map[string]map[string]struct {
			ID      string `json:"operationId"`
			Summary string `json:"summary"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(files["lab.json"], &d); err != nil {
		t.Fatal(err)
	}
	described := 0
	for _, item := range d.Paths {
		described += len(item)
	}
	routes := new(control.API).Routes()
	if described != len(routes) {
		t.Errorf("%d calls are described, there are %d", described, len(routes))
	}
	for _, r := range routes {
		o := d.Paths[r.Pattern][strings.ToLower(r.Method)]
		if o.ID != r.Name || o.Summary == "" || o.Summary == r.Name {
			t.Errorf("%s %s: id %q, summary %q, want %q in words", r.Method, r.Pattern, o.ID, o.Summary, r.Name)
		}
	}
}

// sound holds a description against the rules that generators of clients rely
// on.
func sound(t *testing.T, text []byte) {
	t.Helper()
	var d struct {
		OpenAPI    string                                `json:"openapi"`
		Paths      map[string]map[string]json.RawMessage `json:"paths"`
		Components struct {
			Schemas map[string]json.RawMessage `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	if d.OpenAPI != "3.1.0" || len(d.Paths) == 0 {
		t.Errorf("version %q with %d paths", d.OpenAPI, len(d.Paths))
	}
	ids := map[string]bool{}
	for path, item := range d.Paths {
		for method, raw := range item {
			var o struct {
				ID         string                      `json:"operationId"`
				Parameters []struct{ Name, In string } `json:"parameters"`
				Responses  map[string]json.RawMessage  `json:"responses"`
			}
			if err := json.Unmarshal(raw, &o); err != nil {
				t.Fatal(err)
			}
			if o.ID == "" || ids[o.ID] || len(o.Responses) < 2 {
				t.Errorf("%s %s: id %q is empty or taken, or answers are missing", method, path, o.ID)
			}
			ids[o.ID] = true
			for _, p := range o.Parameters {
				if p.In == "path" && !strings.Contains(path, "{"+p.Name+"}") {
					t.Errorf("%s %s has no %s", method, path, p.Name)
				}
			}
		}
	}
	for _, reference := range strings.Split(string(text), `"#/components/schemas/`)[1:] {
		name, _, _ := strings.Cut(reference, `"`)
		if d.Components.Schemas[name] == nil {
			t.Errorf("schema %s is referred to and not there", name)
		}
	}
}

// TestTrace: the shapes by which handlers read and write are recognised. Each
// row is a service that has the shape.
func TestTrace(t *testing.T) {
	t.Parallel()
	files, err := generated()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ name, file, want string }{
		{"body read by the handler", "tasks.json", `"#/components/schemas/TaskRequest"`},
		{"answer written by a helper", "tasks.json", `"#/components/schemas/Task"`},
		{"answer returned to a wrapper", "calendar.json", `"#/components/schemas/Event"`},
		{"shared envelope", "tasks.json", `"#/components/schemas/Envelope"`},
		{"query read by a helper", "tasks.json", `"showHidden"`},
		{"form", "device.json", `"application/x-www-form-urlencoded"`},
		{"key in a header", "snapshots.json", `"SVC-API-KEY"`},
		{"answer built piece by piece", "articles.json", `"#/components/schemas/Item"`},
		{"answer that is not JSON", "snapshots.json", `"image/png"`},
		{"stream of events", "generate.json", `"text/event-stream"`},
		{"verb in the last segment", "generate.json", `"/v1beta/models/{model}:generateContent"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if !bytes.Contains(files[row.file], []byte(row.want)) {
				t.Errorf("%s lacks %s", row.file, row.want)
			}
		})
	}
}

// TestFind: a request is known by its operation.
func TestFind(t *testing.T) {
	t.Parallel()
	table := answers.NewTable(modules())
	for _, row := range []struct{ method, target, service, operation string }{
		{"GET", "/v2/limits/label", "labels", "GET /v2/limits/label"},
		{"POST", "/v1beta/models/m:generateContent", "generate", "POST /v1beta/models/{model}:generateContent"},
		{"GET", "/api/v2/items/1?page=1", "articles", "GET /api/v2/items/{item_id}"},
		{"GET", "/console/", "", ""},
		{"DELETE", "/v2/limits/label", "", ""},
	} {
		t.Run(row.method+" "+row.target, func(t *testing.T) {
			t.Parallel()
			service, operation := table.Find(httptest.NewRequest(row.method, row.target, nil))
			if service != row.service || operation != row.operation {
				t.Errorf("got %q of %q, want %q of %q", operation, service, row.operation, row.service)
			}
		})
	}
}
