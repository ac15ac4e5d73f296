package wire_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/wire"
)

type inner struct {
	Count int8                   `json:"count"`
	Note  wire.Optional[string]  `json:"note,omitzero"`
	Due   wire.Optional[int]     `json:"due,omitzero"`
	Deep  wire.Optional[*inner]  `json:"deep,omitzero"`
	More  wire.Optional[[]inner] `json:"more,omitzero"`
}

type Embedded struct {
	Flag bool `json:"flag"`
}

type target struct {
	Embedded
	Days  int                  `json:"apiKeyDaysValid"`
	Name  string               `json:"name"`
	Rate  float32              `json:"rate"`
	Items []inner              `json:"items"`
	Map   map[string]inner     `json:"map"`
	Bytes []byte               `json:"bytes"`
	At    time.Time            `json:"at"`
	Raw   json.RawMessage      `json:"raw"`
	Ptr   *uint16              `json:"ptr"`
	Inner inner                `json:"inner"`
	Opt   wire.Optional[inner] `json:"opt"`
	Any   any                  `json:"any"`
}

func TestWrongTypes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, field, reason string }{
		{"string for integer", `{"apiKeyDaysValid":"x"}`, "apiKeyDaysValid", "apiKeyDaysValid must be an integer"},
		{"fraction for integer", `{"apiKeyDaysValid":1.5}`, "apiKeyDaysValid", "apiKeyDaysValid must be an integer"},
		{"whole fraction for integer", `{"apiKeyDaysValid":1.0}`, "apiKeyDaysValid", "apiKeyDaysValid must be an integer"},
		{"exponent for integer", `{"apiKeyDaysValid":1e2}`, "apiKeyDaysValid", "apiKeyDaysValid must be an integer"},
		{"huge integer", `{"apiKeyDaysValid":99999999999999999999}`, "apiKeyDaysValid", "apiKeyDaysValid is out of range"},
		{"small integer", `{"items":[{"count":1},{"count":128}]}`, "items[1].count", "items[1].count is out of range"},
		{"negative for unsigned", `{"ptr":-1}`, "ptr", "ptr is out of range"},
		{"object for integer", `{"apiKeyDaysValid":{}}`, "apiKeyDaysValid", "apiKeyDaysValid must be an integer"},
		{"array for integer", `{"apiKeyDaysValid":[1]}`, "apiKeyDaysValid", "apiKeyDaysValid must be an integer"},
		{"number for string", `{"name":1}`, "name", "name must be a string"},
		{"object for string", `{"name":{"a":1}}`, "name", "name must be a string"},
		{"string for number", `{"rate":"1"}`, "rate", "rate must be a number"},
		{"huge number", `{"rate":1e99}`, "rate", "rate is out of range"},
		{"string for boolean", `{"flag":"true"}`, "flag", "flag must be true or false"},
		{"object for array", `{"items":{}}`, "items", "items must be an array"},
		{"string for object", `{"items":["x"]}`, "items[0]", "items[0] must be an object"},
		{"array for object", `{"map":[]}`, "map", "map must be an object"},
		{"inside a map", `{"map":{"k":{"count":"x"}}}`, "map.k.count", "map.k.count must be an integer"},
		{"number for bytes", `{"bytes":1}`, "bytes", "bytes must be a string of base64"},
		{"optional", `{"inner":{"note":5}}`, "inner.note", "inner.note must be a string"},
		{"optional with space", "{ \"inner\" : {\"count\":1,\n \"due\" : \"x\" } }", "inner.due",
			"inner.due must be an integer"},
		{"optional struct", `{"opt":{"count":"x"}}`, "opt.count", "opt.count must be an integer"},
		{"optional in optional", `{"name":"x","opt":{"deep":{"due":true}}}`, "opt.deep.due",
			"opt.deep.due must be an integer"},
		{"optional list", `{"opt":{"more":[{},{"note":[]}]}}`, "opt.more[1].note", "opt.more[1].note must be a string"},
		{"root", `[]`, "", "the body must be an object"},
		{"root string", `"x"`, "", "the body must be an object"},
		{"time", `{"at":"yesterday"}`, "", "a time must be written as in 2006-01-02T15:04:05Z"},
		{"base64", `{"bytes":"$$$"}`, "", "a member must be a string of base64"},
		{"huge any", `{"any":[1e999]}`, "any[0]", "any[0] is out of range"},
		{"huge any at the end", `{"any":1e999}`, "any", "any is out of range"},
	} {
		for mode, opts := range map[string][]wire.Option{"": nil, " strict": {wire.DisallowUnknown()}} {
			t.Run(c.name+mode, func(t *testing.T) {
				t.Parallel()
				var v target
				err := wire.DecodeJSON([]byte(c.text), &v, opts...)
				var syntax *wire.SyntaxError
				if !errors.As(err, &syntax) {
					t.Fatalf("got %v, want a *SyntaxError", err)
				}
				if syntax.Field != c.field || syntax.Reason != c.reason {
					t.Errorf("got field %q and reason %q, want %q and %q", syntax.Field, syntax.Reason, c.field, c.reason)
				}
				if syntax.Offset < 0 || syntax.Offset > int64(len(c.text)) {
					t.Errorf("offset %d is outside the text of %d bytes", syntax.Offset, len(c.text))
				}
			})
		}
	}
}

func TestUnknownMembers(t *testing.T) {
	t.Parallel()
	var v target
	text := []byte(`{"name":"x","extra":{"a":[1]},"inner":{"other":null}}`)
	if err := wire.DecodeJSON(text, &v); err != nil || v.Name != "x" {
		t.Errorf("by default: got %v and %q, want them ignored", err, v.Name)
	}
	err := wire.DecodeJSON(text, &v, wire.DisallowUnknown())
	var syntax *wire.SyntaxError
	if !errors.As(err, &syntax) || syntax.Field != "extra" || syntax.Reason != "extra is not a known member" {
		t.Errorf("disallowed: got %+v", syntax)
	}
}

// Members of what an Optional holds are as unknown as others.
func TestUnknownMembersInOptionals(t *testing.T) {
	t.Parallel()
	type point struct {
		X wire.Optional[int] `json:"x"`
	}
	type body struct {
		Points wire.Optional[[]point] `json:"points"`
		Named  map[string]point       `json:"named"`
	}
	for text, want := range map[string]string{
		`{"points":[{"x":1},{"x":2,"y/z":3}]}`: "points[1].y/z",
		`{"named":{"a":{"x":null}},"q":1}`:     "q",
		`{"points":[{"x":1}],"named":{}}`:      "",
		`{"points":null}`:                      "",
	} {
		var v body
		if err := wire.DecodeJSON([]byte(text), &v); err != nil {
			t.Errorf("%s by default: %v", text, err)
		}
		var syntax *wire.SyntaxError
		err := wire.DecodeJSON([]byte(text), &v, wire.DisallowUnknown())
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (!errors.As(err, &syntax) || syntax.Field != want || !strings.HasPrefix(syntax.Reason, want)):
			t.Errorf("%s: got %v, want a refusal of %s", text, err, want)
		}
	}
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " ", "\n\t\r "} {
		v := map[string]int{"kept": 1}
		if err := wire.DecodeJSON([]byte(text), &v); !errors.Is(err, wire.ErrEmptyBody) {
			t.Errorf("%q: got %v, want ErrEmptyBody", text, err)
		}
		if err := wire.DecodeJSON([]byte(text), &v, wire.AllowEmpty()); err != nil || v["kept"] != 1 {
			t.Errorf("%q allowed: got %v and %v, want the value untouched", text, err, v)
		}
	}
}

// TestRawText checks that a text is given as it was sent, and is the caller's own.
func TestRawText(t *testing.T) {
	sent := []byte(" \r\n\t{\"a\" : [1, null]} \n")
	var raw json.RawMessage
	if err := wire.DecodeJSON(sent, &raw); err != nil || string(raw) != `{"a" : [1, null]}` {
		t.Errorf("got %q, %v", raw, err)
	}
	if clear(sent); string(raw) != `{"a" : [1, null]}` {
		t.Errorf("it is not the caller's own: %q", raw)
	}
	text := []byte(`{"a":1}`)
	if n := testing.AllocsPerRun(100, func() { _ = wire.DecodeJSON(text, &raw) }); n > 1 {
		t.Errorf("reading into memory that there is allocates %v times", n)
	}
	for _, bad := range []string{"{}{}", `{"a":1,"a":2}`, "\u00a0{}", "[1", ""} {
		if err := wire.DecodeJSON([]byte(bad), &raw); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	if err := wire.DecodeJSON(text, (*json.RawMessage)(nil)); err == nil {
		t.Error("a nil destination was taken")
	}
}

func TestNULWhenAllowed(t *testing.T) {
	t.Parallel()
	var s string
	if err := wire.DecodeJSON([]byte(`"a\u0000b"`), &s, wire.AllowNUL()); err != nil || s != "a\x00b" {
		t.Errorf("got %q, %v", s, err)
	}
}

func TestMisuseIsNotTheCallersFault(t *testing.T) {
	t.Parallel()
	var syntax *wire.SyntaxError
	if err := wire.DecodeJSON([]byte(`{}`), target{}); err == nil || errors.As(err, &syntax) {
		t.Errorf("got %v, want an error that is not a *SyntaxError", err)
	}
}

// own is a member with a decoder of its own, which speaks wire's language.
type own struct{}

func (*own) UnmarshalJSON([]byte) error {
	return &wire.SyntaxError{Field: "colour", Reason: "colour must be red"}
}

func TestOwnDecoderKeepsItsError(t *testing.T) {
	t.Parallel()
	var v struct {
		Colour own `json:"colour"`
	}
	var syntax *wire.SyntaxError
	if err := wire.DecodeJSON([]byte(`{"colour":1}`), &v); !errors.As(err, &syntax) ||
		syntax.Reason != "colour must be red" {
		t.Errorf("got %v", err)
	}
}

func TestOptional(t *testing.T) {
	t.Parallel()
	type patch struct {
		A wire.Optional[string] `json:"a,omitzero"`
	}
	for _, c := range []struct {
		text, back, applied string
		present, null       bool
	}{
		{`{}`, `{}`, "old", false, false},
		{`{"a":null}`, `{"a":null}`, "", true, true},
		{`{"a":""}`, `{"a":""}`, "", true, false},
		{`{"a":"new"}`, `{"a":"new"}`, "new", true, false},
	} {
		var p patch
		if err := wire.DecodeJSON([]byte(c.text), &p); err != nil {
			t.Fatal(err)
		}
		if p.A.Present != c.present || p.A.Null != c.null {
			t.Errorf("%s: got %+v", c.text, p.A)
		}
		applied := "old"
		p.A.Apply(&applied)
		if applied != c.applied {
			t.Errorf("%s: applied: got %q, want %q", c.text, applied, c.applied)
		}
		back, err := wire.EncodeJSON(p)
		if err != nil || string(back) != c.back {
			t.Errorf("%s: back: got %s, %v, want %s", c.text, back, err, c.back)
		}
	}
	if got := wire.Some(3).Or(4) + wire.Null[int]().Or(5); got != 8 {
		t.Errorf("Or: got %d, want 8", got)
	}
}

// Whatever encoding/json writes is read back the same, and never refused.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	leaf := rapid.OneOf(
		rapid.Map(rapid.StringMatching(`[^\x00]{0,12}`), func(s string) any { return strings.ToValidUTF8(s, "?") }),
		rapid.Map(rapid.Float64Range(-1e300, 1e300), func(f float64) any { return f }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Just[any](nil),
	)
	value := leaf
	for range 4 {
		value = rapid.OneOf(leaf,
			rapid.Map(rapid.SliceOfN(value, 0, 5), func(s []any) any { return s }),
			rapid.Map(rapid.MapOfN(rapid.String(), value, 0, 40), func(m map[string]any) any {
				clean := make(map[string]any, len(m))
				for k, v := range m {
					clean[strings.ReplaceAll(strings.ToValidUTF8(k, "?"), "\x00", "?")] = v
				}
				return clean
			}))
	}
	rapid.Check(t, func(t *rapid.T) {
		want := value.Draw(t, "value")
		text, err := wire.EncodeJSON(want)
		if err != nil {
			t.Fatal(err)
		}
		var got any
		if err := wire.DecodeJSON(text, &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if again, _ := wire.EncodeJSON(got); string(again) != string(text) {
			t.Fatalf("got %s, want %s", again, text)
		}
	})
}

// FuzzDecodeJSON: what is accepted is read as encoding/json reads it; what is
// refused has a reason and a position inside the text.
func FuzzDecodeJSON(f *testing.F) {
	for _, text := range accepted() {
		fuzztest.Bytes(f, []byte(text))
	}
	for _, c := range refused() {
		fuzztest.Bytes(f, []byte(c.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var got, want any
		err := wire.DecodeJSON(text, &got)
		plain := json.Unmarshal(text, &want)
		var syntax *wire.SyntaxError
		switch {
		case err == nil && plain != nil:
			t.Errorf("%q is accepted though encoding/json says %v", text, plain)
		case err == nil && !reflect.DeepEqual(got, want):
			t.Errorf("%q: got %v, want %v", text, got, want)
		case err != nil && !errors.Is(err, wire.ErrEmptyBody) && !errors.As(err, &syntax):
			t.Errorf("%q: got %v, want a *SyntaxError", text, err)
		case syntax != nil && (syntax.Reason == "" || syntax.Offset < 0 || syntax.Offset > int64(len(text))):
			t.Errorf("%q: got %+v", text, syntax)
		}
		var typed target
		_ = wire.DecodeJSON(text, &typed, wire.DisallowUnknown()) // must not panic
	})
}
