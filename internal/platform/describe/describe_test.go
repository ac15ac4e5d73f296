package describe_test

import (
	"encoding/json"
	"testing"

	"stoa.dev/stoa/internal/platform/describe"
	"stoa.dev/stoa/internal/platform/wire"
)

func text(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestSchema(t *testing.T) {
	t.Parallel()
	type inner struct {
		N *int64 `json:"n,omitempty"`
	}
	for want, value := range map[string]any{
		`{"type":"string"}`:  "",
		`{"type":"boolean"}`: true,
		`{"type":"number"}`:  1.5,
		`{}`:                 json.RawMessage(nil),
		`{"items":{"type":"string"},"type":"array"}`:                                                       []string{},
		`{"anyOf":[{"type":"integer"},{"type":"null"}]}`:                                                   wire.Optional[int]{},
		`{"properties":{"n":{"type":"integer"}},"type":"object"}`:                                          inner{},
		`{"additionalProperties":{"properties":{"n":{"type":"integer"}},"type":"object"},"type":"object"}`: map[string]inner{},
	} {
		if got := text(t, describe.Schema(value)); got != want {
			t.Errorf("Schema(%T) = %s, want %s", value, got, want)
		}
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	paths := describe.Paths{}
	paths.Add("GET", "/a/{id}", describe.Object{"operationId": "a.get"})
	paths.Add("PUT", "/a/{id}", describe.Object{"operationId": "a.put"})
	paths.Add("GET", "/b/{rest...}", describe.Object{})
	paths.Add("GET", "/c/{$}", describe.Object{})
	want := `{"/a/{id}":{"get":{"operationId":"a.get"},"put":{"operationId":"a.put"}},"/b/{rest}":{"get":{}},` +
		`"/c/":{"get":{}}}`
	if got := text(t, paths); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestParameters(t *testing.T) {
	t.Parallel()
	want := `[{"in":"path","name":"id","required":true,"schema":{"type":"string"}},` +
		`{"in":"query","name":"page","schema":{"type":"string"}}]`
	if got := text(t, describe.Parameters("/a/{id}", "page", "id")); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := describe.Parameters("/a"); got != nil {
		t.Errorf("a pattern without wildcards has %v", got)
	}
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	want := `{"content":{"application/json":{"schema":{"type":"string"}}},"description":"done"}`
	if got := text(t, describe.Answer("done", describe.Object{"type": "string"})); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
