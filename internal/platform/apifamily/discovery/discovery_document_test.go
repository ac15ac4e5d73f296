package discovery

import (
	"encoding/json"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
)

const source = `{"paths":{"/t/v1/things/{id}":{"post":{"operationId":"t.things.move",
	"parameters":[{"in":"path","name":"id"},{"in":"query","name":"to"},{"in":"query","name":"fields"}],
	"requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"n":{"type":"integer"}}}}}},
	"responses":{"200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing"}}}}}}}},
	"components":{"schemas":{"Thing":{"type":"object","required":["a"],"properties":{
		"a":{"anyOf":[{"type":"null"},{"type":"string"}]},"b":{"type":"array","items":{}},
		"c":{"$ref":"#/components/schemas/Thing"}}}}}}`

// TestDocument: a description in the older form, with types, requirements and scopes.
func TestDocument(t *testing.T) {
	t.Parallel()
	m := module.Module{
		Name: "t", API: &module.API{
			Name: "t", Version: "v1", BasePath: "/t/v1/", Booleans: []string{"force"},
			Required: map[string][]string{"t.things.move": {"to"}},
		},
		Routes: []route.Route{{Name: "t.things.move", Scopes: []string{"t"}, Parameters: []string{"force"}}},
	}
	out, err := document(m, []byte(source), "http://h", func(s string) string { return "http://h/auth/" + s })
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(out)
	for _, want := range []string{
		`"batchPath":"batch/t/v1"`, `"servicePath":"t/v1/"`, `"path":"things/{id}"`, `"parameterOrder":["id","to"]`,
		`"to":{"location":"query","required":true,"type":"string"}`, `"force":{"location":"query","type":"boolean"}`,
		`"request":{"$ref":"ThingsMoveRequest"}`, `"response":{"$ref":"Thing"}`, `"scopes":["http://h/auth/t"]`,
		`"a":{"type":"string"}`, `"b":{"items":{"type":"any"},"type":"array"}`, `"c":{"$ref":"Thing"}`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if _, err := document(m, []byte("{"), "", nil); err == nil {
		t.Error("half a description was read")
	}
}
