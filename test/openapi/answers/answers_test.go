package answers

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestOf: what several answers show together.
func TestOf(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		seen []string
		want string
	}{
		{
			"members that are always there", []string{`{"a":1,"b":"x"}`, `{"a":2}`},
			`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a"]}`,
		},
		{
			"null is a further type", []string{`{"a":null}`, `{"a":"x"}`},
			`{"type":"object","properties":{"a":{"type":["null","string"]}},"required":["a"]}`,
		},
		{"a fraction makes a number", []string{`[1]`, `[2.5]`}, `{"type":"array","items":{"type":"number"}}`},
		{
			"elements are one shape", []string{`[{"a":1},{"a":2,"b":true}]`},
			`{"type":"array","items":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"boolean"}},` +
				`"required":["a"]}}`,
		},
		{"an empty list says nothing of its elements", []string{`[]`}, `{"type":"array"}`},
		{
			"names that are dates", []string{`{"2026-03-02":1,"2026-03-03":2}`},
			`{"type":"object","additionalProperties":{"type":"integer"}}`,
		},
		{
			"names that are data in one answer only", []string{`{"main":1}`, `{"feature/x":"y"}`},
			`{"type":"object","additionalProperties":{"type":["integer","string"]}}`,
		},
		{
			"what the caller decides", []string{`{"args":{"city":"Athens"}}`},
			`{"type":"object","properties":{"args":{"type":"object"}},"required":["args"]}`,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			for _, order := range [][]string{row.seen, {row.seen[len(row.seen)-1], row.seen[0]}} {
				var got *Shape
				for _, text := range order {
					s, err := Of([]byte(text))
					if err != nil {
						t.Fatal(err)
					}
					got = Merge(got, s)
				}
				if text, err := json.Marshal(got); err != nil || string(text) != row.want {
					t.Errorf("got  %s (%v)\nwant %s", text, err, row.want)
				}
			}
		})
	}
	t.Run("events of a stream", func(t *testing.T) {
		t.Parallel()
		got, err := json.Marshal(OfEvents([]byte(
			"data: {\"a\":1}\n\nevent: x\ndata: {\"a\":\"b\"}\n\ndata: [DONE]\n\n",
		)))
		if want := `{"type":"object","properties":{"a":{"type":["integer","string"]}},"required":["a"]}`; err != nil ||
			string(got) != want {
			t.Errorf("got %s (%v), want %s", got, err, want)
		}
	})
	t.Run("no JSON", func(t *testing.T) {
		t.Parallel()
		for _, text := range []string{``, `{`, `{} {}`} {
			if s, err := Of([]byte(text)); err == nil {
				t.Errorf("%q: got %v, want an error", text, s)
			}
		}
	})
}

// TestUnknown: an answer is held against a description.
func TestUnknown(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.json")
	text := `{"paths":{"/x":{"get":{"responses":{"200":{
		"content":{"application/json":{"schema":{"$ref":"#/components/schemas/X"}}}}}}}},
		"components":{"schemas":{"X":{"type":"object","required":["a"],"properties":{"a":{"type":"number"},"any":{},
		"b":{"anyOf":[{"type":"string"},{"type":"null"}]},
		"list":{"type":"array","items":{"$ref":"#/components/schemas/X"}},
		"map":{"type":"object","additionalProperties":{"type":"string"}}}}}}}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := ReadDescription(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ name, body, want string }{
		{"all is known", `{"a":1,"b":null,"any":[1,{}],"list":[{"a":1.5,"b":"x"}],"map":{"k":"v","1":"w"}}`, ""},
		{"absent members", `{}`, ""},
		{"another member", `{"c":1}`, "the answer has the member c"},
		{"another member deep inside", `{"list":[{"list":[{"c":1}]}]}`, "the answer.list[].list[] has the member c"},
		{"another type", `{"a":"1"}`, "the answer.a is string, described as number"},
		{"none of the alternatives", `{"b":1}`, "the answer.b is integer, which none of the alternatives is"},
		{"another type of value", `{"map":{"k":1}}`, "the answer.map.k is integer, described as string"},
		{"a list", `[]`, "the answer is array, described as object"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s, err := Of([]byte(row.body))
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Unknown("GET /x", "200", "application/json", s); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
	t.Run("another status", func(t *testing.T) {
		t.Parallel()
		if got, want := d.Unknown(
			"GET /x", "201", "application/json", &Shape{},
		), "the answer has the status 201"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// TestContradicts: learnt shapes are stricter, they know all answers.
func TestContradicts(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, learnt, described, want string }{
		{
			"a required member was absent", `{"type":"object","properties":{"a":{"type":"string"}}}`,
			`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, "the answer lacks the member a",
		},
		{
			"an envelope that says nothing",
			`{"type":"object","properties":{"data":{"type":"object","properties":{"a":{"type":"string"}}}}}`,
			`{"type":"object","properties":{"data":{}}}`, "the answer.data is described as anything",
		},
		{
			"an open value", `{"type":"object","properties":{"a":{"type":"string"}}}`,
			`{"type":"object","properties":{"a":{}}}`, "",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var learnt, described Shape
			for text, into := range map[string]*Shape{row.learnt: &learnt, row.described: &described} {
				if err := json.Unmarshal([]byte(text), into); err != nil {
					t.Fatal(err)
				}
			}
			if got := (Components{}).Contradicts(&learnt, &described); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
