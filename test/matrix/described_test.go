package matrix_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/openapi/answers"
	"stoa.dev/stoa/test/program"
)

// description is what docs/openapi says of one operation.
type description struct {
	body       *answers.Shape
	answer     *answers.Shape
	components answers.Components
	parameters []parameter
}

type parameter struct {
	Name string `json:"name"`
	In   string `json:"in"`
}

type described struct {
	Parameters  []parameter `json:"parameters"`
	RequestBody content     `json:"requestBody"`
	Responses   map[string]content
}

type content struct {
	Content map[string]struct {
		Schema *answers.Shape `json:"schema"`
	} `json:"content"`
}

// descriptions are those of all operations, by service, method and path.
func descriptions(t *testing.T) map[string]description {
	t.Helper()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]description{}
	for _, m := range app.Tables() {
		text, err := os.ReadFile(filepath.Join(root, "docs", "openapi", m.Name+".json"))
		if os.IsNotExist(err) {
			continue // the console and git have none
		}
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Paths      map[string]map[string]described
			Components struct{ Schemas answers.Components }
		}
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatalf("%s: %v", m.Name, err)
		}
		for _, r := range m.Routes {
			d, ok := doc.Paths[answers.Path(r.Pattern)][strings.ToLower(r.Method)]
			if !ok {
				continue
			}
			all[m.Name+" "+r.Method+" "+r.Pattern] = description{
				body: d.RequestBody.json(), answer: d.success(), components: doc.Components.Schemas, parameters: d.Parameters,
			}
		}
	}
	return all
}

func (c content) json() *answers.Shape { return c.Content["application/json"].Schema }

func (d described) success() *answers.Shape {
	for _, status := range []string{"200", "201", "202"} {
		if s := d.Responses[status].json(); s != nil {
			return s
		}
	}
	return nil
}

// members joins what a shape and its alternatives have.
func (d description) members(s *answers.Shape) map[string]*answers.Shape {
	s = d.resolve(s)
	if s == nil {
		return nil
	}
	out := map[string]*answers.Shape{}
	for name, member := range s.Members {
		out[name] = member
	}
	for _, part := range s.AnyOf {
		for name, member := range d.members(part) {
			out[name] = member
		}
	}
	return out
}

func (d description) resolve(s *answers.Shape) *answers.Shape {
	for s != nil && s.Ref != "" {
		s = d.components[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	return s
}
