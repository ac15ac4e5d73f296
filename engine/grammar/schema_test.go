package grammar_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"stoa.dev/stoa/engine/enginetest"
	"stoa.dev/stoa/engine/grammar"
)

// fits is the test's own small validator: why a value does not fit a schema.
func fits(root, schema map[string]any, v any) error {
	if ref, ok := schema["$ref"].(string); ok {
		at := any(root)
		for _, step := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
			if step != "#" {
				at = at.(map[string]any)[step]
			}
		}
		if err := fits(root, at.(map[string]any), v); err != nil {
			return err
		}
	}
	if enum, ok := schema["enum"].([]any); ok {
		if !slices.ContainsFunc(enum, func(e any) bool { return fmt.Sprint(e) == fmt.Sprint(v) }) {
			return fmt.Errorf("%v is not one of %v", v, enum)
		}
		return nil
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		if list, ok := schema[word].([]any); ok {
			return fitsAny(root, list, v)
		}
	}
	if list, ok := schema["allOf"].([]any); ok {
		for _, s := range list {
			if err := fits(root, s.(map[string]any), v); err != nil {
				return err
			}
		}
	}
	switch t := schema["type"].(type) {
	case string:
		return fitsType(root, schema, t, v)
	case []any:
		var last error
		for _, kind := range t {
			if last = fitsType(root, schema, kind.(string), v); last == nil {
				return nil
			}
		}
		return last
	}
	return nil
}

func fitsAny(root map[string]any, list []any, v any) error {
	var last error
	for _, s := range list {
		if last = fits(root, s.(map[string]any), v); last == nil {
			return nil
		}
	}
	return last
}

func bound(schema map[string]any, word string, otherwise float64) float64 {
	if n, ok := schema[word].(float64); ok {
		return n
	}
	return otherwise
}

func fitsType(root, schema map[string]any, kind string, v any) error {
	between := func(n float64, low, high string) error {
		if n < bound(schema, low, -1e300) || n > bound(schema, high, 1e300) {
			return fmt.Errorf("%v is outside %v and %v", n, schema[low], schema[high])
		}
		return nil
	}
	switch x := v.(type) {
	case string:
		if pattern, ok := schema["pattern"].(string); ok && !regexp.MustCompile(pattern).MatchString(x) {
			return fmt.Errorf("%q does not match %s", x, pattern)
		}
		if kind == "string" {
			return between(float64(utf8.RuneCountInString(x)), "minLength", "maxLength")
		}
	case float64:
		if kind == "number" || kind == "integer" && x == float64(int64(x)) {
			return between(x, "minimum", "maximum")
		}
	case bool:
		if kind == "boolean" {
			return nil
		}
	case nil:
		if kind == "null" {
			return nil
		}
	case []any:
		if kind != "array" {
			break
		}
		for _, item := range x {
			if items, ok := schema["items"].(map[string]any); ok {
				if err := fits(root, items, item); err != nil {
					return err
				}
			}
		}
		return between(float64(len(x)), "minItems", "maxItems")
	case map[string]any:
		if kind != "object" {
			break
		}
		return fitsObject(root, schema, x)
	}
	return fmt.Errorf("%v is not of type %s", v, kind)
}

func fitsObject(root, schema, x map[string]any) error {
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, ok := x[name.(string)]; !ok {
			return fmt.Errorf("%v is missing", name)
		}
	}
	for name, value := range x {
		p, known := properties[name].(map[string]any)
		if !known && schema["additionalProperties"] == false {
			return fmt.Errorf("%s is not allowed", name)
		}
		if known {
			if err := fits(root, p, value); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

func decode(t testing.TB, text string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("schema %s: %v", text, err)
	}
	return out
}

func TestEverythingAllowedFits(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"any":              `{}`,
		"flat":             `{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer"}},"required":["a","b"]}`,
		"optional":         `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"boolean"},"c":{"type":"null"}},"required":["b"],"additionalProperties":false}`,
		"all optional":     `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"boolean"}}}`,
		"ordered":          `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"],"propertyOrdering":["b","a"]}`,
		"strange name":     `{"type":"object","properties":{"a\"\\\n\u0001é":{"type":"string"}},"required":["a\"\\\n\u0001é"]}`,
		"integers":         `{"type":"integer","minimum":-37,"maximum":1204}`,
		"positive":         `{"type":"integer","minimum":8}`,
		"below":            `{"type":"integer","maximum":-3}`,
		"decimals":         `{"type":"number","minimum":-2.5,"maximum":17}`,
		"from zero to one": `{"type":"number","minimum":0,"maximum":1}`,
		"array":            `{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":4}`,
		"empty array":      `{"type":"array","items":{"type":"integer"},"maxItems":0}`,
		"at most one":      `{"type":"array","items":{"type":"string"},"maxItems":1}`,
		"lengths":          `{"type":"string","minLength":2,"maxLength":5}`,
		"pattern":          `{"type":"string","pattern":"^[A-Z]{2}-\\d{1,4}(x|y)?$"}`,
		"loose pattern":    `{"type":"string","pattern":"a+[^b]"}`,
		"fold":             `{"type":"string","pattern":"(?i)^abc$"}`,
		"enum":             `{"enum":["a","b\"c",1,null]}`,
		"types":            `{"type":["integer","null","string"],"maxLength":3}`,
		"anyOf":            `{"anyOf":[{"type":"integer"},{"type":"object","properties":{"x":{"type":"boolean"}},"required":["x"]}]}`,
		"allOf":            `{"allOf":[{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]},{"properties":{"b":{"type":"string"}},"required":["b"]}]}`,
		"recursion":        `{"type":"object","properties":{"v":{"type":"integer"},"next":{"anyOf":[{"type":"null"},{"$ref":"#"}]}},"required":["v","next"]}`,
		"defs":             `{"$defs":{"p":{"type":"object","properties":{"n":{"type":"string","maxLength":3}},"required":["n"]}},"type":"array","items":{"$ref":"#/$defs/p"}}`,
		"map":              `{"type":"object","additionalProperties":{"type":"integer"}}`,
		"date":             `{"type":"string","format":"date-time"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema := decode(t, text)
			written, err := grammar.FromSchema(t.Context(), schema)
			if err != nil {
				t.Fatalf("FromSchema: %v", err)
			}
			g := parse(t, written)
			rapid.Check(t, func(rt *rapid.T) {
				said := g.walk("root", func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "way") })
				var v any
				if err := json.Unmarshal([]byte(said), &v); err != nil {
					rt.Fatalf("%q is not JSON: %v\n%s", said, err, written)
				}
				if err := fits(schema, schema, v); err != nil {
					rt.Fatalf("%q does not fit: %v\n%s", said, err, written)
				}
			})
		})
	}
}

func TestOrderAndEnum(t *testing.T) {
	t.Parallel()
	written, err := grammar.FromSchema(t.Context(), decode(t, `{"type":"object","properties":{"a":{"const":1},"b":{"const":2}},"required":["a","b"],"propertyOrdering":["b"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := parse(t, written).walk("root", func(int) int { return 0 }), `{"b":2,"a":1}`; got != want {
		t.Errorf("first walk = %s, want %s", got, want)
	}
	for way, want := range []string{"yes", `n"o`} {
		if got := parse(t, grammar.Enum([]string{"yes", `n"o`})).walk("root", func(int) int { return way }); got != want {
			t.Errorf("enum %d = %s, want %s", way, got, want)
		}
	}
	around := grammar.Between("<call>", written, "</call>")
	if got, want := parse(t, around).walk("root", func(int) int { return 0 }), `<call>{"b":2,"a":1}</call>`; got != want {
		t.Errorf("between = %s, want %s", got, want)
	}
}

func TestRefusesWhatItCannotKeep(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"type":"array","uniqueItems":true}`:                                    "uniqueItems",
		`{"properties":{"a":{"not":{"type":"null"}}}}`:                           "properties.a.not",
		`{"type":"strnig"}`:                                                      "is not a type",
		`{"$ref":"#"}`:                                                           "leads back to itself",
		`{"$ref":"https://example.com/x"}`:                                       "leads nowhere",
		`{"anyOf":[]}`:                                                           "no alternatives",
		`{"type":"string","minLength":5,"maxLength":2}`:                          "above",
		`{"type":"string","maxLength":100000}`:                                   "at most",
		`{"type":"integer","minimum":5,"maximum":4}`:                             "no such number",
		`{"type":"number","minimum":0.2,"maximum":0.8}`:                          "no such number",
		`{"type":"string","pattern":"("}`:                                        "not a regular expression",
		`{"type":"string","pattern":"a\\bc"}`:                                    "cannot be followed",
		`{"type":"object","required":["a"],"additionalProperties":false}`:        "not allowed",
		`{"type":"object","properties":{"a":{"type":"null"}},"minProperties":3}`: "do not fit",
		`{"type":"object","minProperties":2}`:                                    "at most 1",
		`{"enum":[]}`:                                                            "no values",
		`{"allOf":[{"type":"string"},{"type":"integer"}]}`:                       "different values",
		`{"enum":"x"}`:                                                           "enum: is not of the kind list",
		`{"allOf":{"type":"string"}}`:                                            "allOf: is not of the kind list",
		`{"pattern":5}`:                                                          "pattern: is not of the kind text",
		`{"required":"a"}`:                                                       "required: is not of the kind list",
		`{"nullable":"yes"}`:                                                     "nullable: is not of the kind boolean",
		`{"type":[]}`:                                                            "type: is neither",
		`{"type":"string","enum":[1]}`:                                           "none of its values",
		`{"enum":["a"],"minLength":2}`:                                           "none of its values",
		`{"enum":[1],"const":2}`:                                                 "is not in enum",
		`{"enum":["a"],"pattern":"b"}`:                                           "pattern: cannot be combined",
		`{"const":{},"required":["a"]}`:                                          "required: cannot be combined",
		`{"type":"string","format":"date","minLength":2}`:                        "format: cannot be combined",
		`{"allOf":[{"properties":{"a":{"minimum":1}}},{"properties":{"a":{"minimum":2}}}]}`: "properties.a.minimum",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			got, err := grammar.FromSchema(t.Context(), decode(t, text))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Fatalf("err = %v, want it to say %q; grammar:\n%s", err, want, got)
			}
		})
	}
}

// TestFixedValues: of those given, the ones that agree with the words beside them.
func TestFixedValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`{"type":"string","format":"enum","enum":["a",1]}`: {`"a"`},
		`{"type":"integer","enum":[1,2.5,30],"maximum":9}`: {"1"},
		`{"type":"number","enum":[1,2.5]}`:                 {"1", "2.5"},
		`{"type":"string","nullable":true,"enum":[null]}`:  {"null"},
		`{"allOf":[{"properties":{"age":{"enum":[17,18]}},"required":["age"]},` +
			`{"properties":{"age":{"minimum":18}},"additionalProperties":false}]}`: {`{"age":18}`},
	} {
		made, err := grammar.FromSchema(t.Context(), decode(t, text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		found := map[string]bool{}
		for way := range 8 {
			text := parse(t, made).walk("root", func(n int) int { return way % n })
			found[strings.Join(strings.Fields(text), "")] = true
		}
		if got := slices.Sorted(maps.Keys(found)); !slices.Equal(got, want) {
			t.Errorf("%s allows %v, want %v", text, got, want)
		}
	}
}

// TestDates: every date is one, and months have their last days.
func TestDates(t *testing.T) {
	t.Parallel()
	made, err := grammar.FromSchema(t.Context(), decode(t, `{"type":"string","format":"date"}`))
	if err != nil {
		t.Fatal(err)
	}
	g, random, days := parse(t, made), rand.New(rand.NewPCG(1, 2)), map[int]bool{}
	for range 2000 {
		text := g.walk("root", random.IntN)
		day, err := time.Parse(`"2006-01-02"`, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		days[day.Day()] = true
	}
	if len(days) != 31 {
		t.Errorf("%d days of the month, want 31", len(days))
	}
}

// TestIntegers walks every small pair of bounds and every number near them.
func TestIntegers(t *testing.T) {
	t.Parallel()
	for low := -12; low <= 120; low += 7 {
		for high := low; high <= 130; high += 11 {
			written, err := grammar.FromSchema(t.Context(), map[string]any{"type": "integer", "minimum": low, "maximum": high})
			if err != nil {
				t.Fatalf("%d to %d: %v", low, high, err)
			}
			seen := map[string]bool{}
			g := parse(t, written)
			// Counting through all choices like an odometer visits every text.
			for ways := []int{}; ; {
				at := 0
				limits := []int{}
				seen[g.walk("root", func(n int) int {
					if at == len(ways) {
						ways = append(ways, 0)
					}
					limits = append(limits, n)
					at++
					return ways[at-1]
				})] = true
				ways = ways[:at]
				for len(ways) > 0 && ways[len(ways)-1] == limits[len(ways)-1]-1 {
					ways = ways[:len(ways)-1]
				}
				if len(ways) == 0 {
					break
				}
				ways[len(ways)-1]++
			}
			if len(seen) != high-low+1 || !seen[fmt.Sprint(low)] || !seen[fmt.Sprint(high)] {
				t.Fatalf("%d to %d: %d numbers, want %d\n%s", low, high, len(seen), high-low+1, strings.SplitN(written, "ws ::=", 2)[0])
			}
		}
	}
}

func FuzzFromSchema(f *testing.F) {
	enginetest.AddSeed(f, `{"type":"object","properties":{"a":{"type":"string"}}}`, uint8(3))
	enginetest.AddSeed(f, `{"anyOf":[{"$ref":"#/anyOf/1"},{"type":"array","items":{"$ref":"#"}}]}`, uint8(7))
	enginetest.AddSeed(f, `{"pattern":"[^a-z]+\\x00"}`, uint8(1))
	f.Fuzz(func(t *testing.T, text string, way uint8) {
		var schema map[string]any
		if json.Unmarshal([]byte(text), &schema) != nil {
			t.Skip()
		}
		written, err := grammar.FromSchema(t.Context(), schema)
		if err != nil || len(written) > 100_000 {
			return
		}
		g := parse(t, written)
		turn := int(way)
		said := g.walk("root", func(n int) int { turn = turn*7 + 3; return (turn%n + n) % n })
		if !json.Valid([]byte(said)) {
			t.Fatalf("schema %s allows %q, which is not JSON\n%s", text, said, written)
		}
	})
}

// TestSchemasThatMultiply: two references to a schema with two references double
// the work at each level, and rules that are alike count once.
func TestSchemasThatMultiply(t *testing.T) {
	t.Parallel()
	var defs strings.Builder
	for n := range 60 {
		fmt.Fprintf(&defs, `"a%d":{"type":"object","title":"t","anyOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, n, n+1, n+1)
	}
	names := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"%d"`, i)
		}
		return strings.TrimPrefix(b.String(), ",")
	}
	for name, text := range map[string]string{
		"alternatives of alternatives": `{"$defs":{` + defs.String() + `"a60":{"type":"object"}},"type":"object","anyOf":[{"$ref":"#/$defs/a0"}]}`,
		"many required members":        `{"type":"object","required":[` + names(40_000) + `]}`,
		"many values":                  `{"type":"array","items":{"enum":[` + names(90_000) + `]}}`,
		"long values":                  `{"enum":["` + strings.Repeat("x", 2<<20) + `"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			got, err := grammar.FromSchema(t.Context(), decode(t, text))
			// Work that doubles never ends; a busy machine with the race detector takes ten times as long as a quiet one.
			if took := time.Since(began); took > time.Minute || len(got) > 2<<20 {
				t.Errorf("%d bytes after %s, %v, want an end within a minute", len(got), took, err)
			}
			var refused *grammar.Error
			if err != nil && !errors.As(err, &refused) {
				t.Errorf("err = %v, want a *grammar.Error", err)
			}
		})
	}
}
