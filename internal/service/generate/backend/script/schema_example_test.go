package script

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestExamples holds answers in a given form to that form.
func TestExamples(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{}`:                                                              `"hello"`,
		`{"type":"string","minLength":8}`:                                 `"helloxxx"`,
		`{"type":"string","maxLength":2}`:                                 `"he"`,
		`{"type":"string","maxLength":-2}`:                                `""`,
		`{"type":"string","maxLength":1e99}`:                              `"hello"`,
		`{"type":"string","pattern":"^[A-Z]{3}-\\d+(x|y)?$"}`:             `"AAA-0"`,
		`{"type":"string","pattern":"^(?=.*a)b"}`:                         `"hello"`,
		`{"type":"string","pattern":"[^\\x00-z]"}`:                        `"{"`,
		`{"type":"string","format":"time"}`:                               `"03:04:05Z"`,
		`{"type":"integer"}`:                                              `1`,
		`{"type":"integer","minimum":2.5}`:                                `3`,
		`{"type":"integer","exclusiveMinimum":7,"multipleOf":4}`:          `8`,
		`{"type":"integer","maximum":-3}`:                                 `-4`,
		`{"type":"integer","minimum":1e300}`:                              `1e+300`,
		`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}`:     `0.5`,
		`{"type":["null","boolean"]}`:                                     `true`,
		`{"type":"null"}`:                                                 `null`,
		`{"type":"array","items":{"type":"integer"},"maxItems":0}`:        `[]`,
		`{"type":"array","items":{"type":"integer"},"minItems":3}`:        `[1,1,1]`,
		`{"prefixItems":[{"type":"integer"},{"type":"boolean"}]}`:         `[1,true]`,
		`{"type":"object","required":["a"]}`:                              `{"a":"hello"}`,
		`{"required":["a"],"additionalProperties":{"type":"integer"}}`:    `{"a":1}`,
		`{"anyOf":[{"$ref":"#/$defs/a~1b"}],"$defs":{"a/b":{"const":4}}}`: `4`,
		`{"oneOf":[7]}`:                                                   `"hello"`,
		`{"allOf":[{"$ref":"#/$defs/a"},{"properties":{"b":{"type":"integer"}},"required":["b"]}],"$defs":{"a":{"properties":{"a":{"const":1}}}}}`: `{"a":1,"b":1}`,
	} {
		if got := exampleFor(t, schema); got != want {
			t.Errorf("%s: got %s, want %s", schema, got, want)
		}
	}
}

func exampleFor(t *testing.T, schema string) string {
	t.Helper()
	var s map[string]any
	if err := json.Unmarshal([]byte(schema), &s); err != nil {
		t.Fatal(err)
	}
	got, err := exampleOf("f", s, "hello")
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return string(got)
}

// TestExamplesEnd sends schemas that refer to themselves: what may be left out
// is, from a depth on.
func TestExamplesEnd(t *testing.T) {
	t.Parallel()
	members := []string{}
	for _, name := range "abcdefghij" {
		members = append(members, `"`+string(name)+`":{"$ref":"#"}`)
	}
	for _, schema := range []string{
		`{"$ref":"#"}`,
		`{"type":"object","properties":{` + strings.Join(members, ",") + `}}`,
		`{"type":"array","items":{"$ref":"#"}}`,
		`{"allOf":[{"$ref":"#"}]}`,
	} {
		if got := exampleFor(t, schema); !json.Valid([]byte(got)) || len(got) > 64<<10 {
			t.Errorf("%s: got %d bytes, %.80s", schema, len(got), got)
		}
	}
}

// TestExamplesAreBounded sends schemas whose smallest answer is enormous.
func TestExamplesAreBounded(t *testing.T) {
	t.Parallel()
	nested := `{"type":"string"}`
	for range 20 {
		nested = `{"type":"array","minItems":64,"items":` + nested + `}`
	}
	every := `"` + strings.Join(strings.Split("abcdefghij", ""), `","`) + `"`
	for _, schema := range []string{
		nested,
		`{"type":"array","minItems":1e300}`,
		`{"type":"string","minLength":1e9}`,
		`{"type":"array","minItems":1000,"items":{"type":"string","minLength":10000}}`,
		`{"type":"object","required":[` + every + `],"additionalProperties":{"$ref":"#"}}`,
	} {
		var s map[string]any
		if err := json.Unmarshal([]byte(schema), &s); err != nil {
			t.Fatal(err)
		}
		if got, err := exampleOf("f", s, "hello"); err == nil {
			t.Errorf("%.80s: got %d bytes, want a refusal", schema, len(got))
		}
	}
}
