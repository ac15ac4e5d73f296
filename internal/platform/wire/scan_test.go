package wire_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/wire"
)

// accepted are texts that must be read, and read as encoding/json reads them.
func accepted() map[string]string {
	return map[string]string{
		"array empty": `[]`, "array space": `[ ]`, "array of array": `[[]]`, "array null": `[null]`,
		"array several": `[1,"2",true,false,null,{}]`, "array newline": "[1\n]", "array tabs": "[\t1\t,\t2\t]",
		"array leading space": ` [1]`, "array trailing space": `[2] `, "array trailing newlines": "[2]\r\n\n",
		"object empty": `{}`, "object space": `{ }`, "object one": `{"a":1}`, "object empty name": `{"":0}`,
		"object nested": `{"a":{"b":{"c":[{}]}}}`, "object spaced": "{ \"a\" : 1 , \"b\" : 2 }",
		"same name at two levels": `{"a":{"a":1}}`, "same name in siblings": `[{"a":1},{"a":2}]`,
		"same name after nested": `{"x":{"a":1},"a":2}`, "names differ by case": `{"a":1,"A":2}`,
		"names differ by accent": `{"e":1,"é":2}`, "name with nul-like": `{"\\u0000":1}`,
		"number zero": `0`, "number minus zero": `-0`, "number int": `42`, "number negative": `-1`,
		"number fraction": `1.5`, "number zero fraction": `0.10`, "number exponent": `1e5`, "number capital exponent": `1E5`,
		"number plus exponent": `1e+2`, "number minus exponent": `1e-2`, "number fraction exponent": `1.5e3`,
		"number minus zero exponent": `-0e1`, "number long": `123456789012345678901234567890`,
		"number small": `-0.000000000000000000000000000000000000000000000000000000000000000000000000000001`,
		"true":         `true`, "false": `false`, "null": `null`,
		"string empty": `""`, "string plain": `"asd"`, "string escapes": `"\"\\\/\b\f\n\r\t"`,
		"string unicode escape": `"\u20AC"`, "string lower hex": `"\u20ac"`, "string pair": `"\uD834\uDD1E"`,
		"string two pairs": `"\ud83d\ude39\ud83d\udc8d"`, "string utf-8": `"€𝄞"`, "string del": "\"\x7f\"",
		"string nonchar": "\"\U0010FFFF\uFFFF\"", "string u+2028": "\"\u2028\u2029\"",
		"string escaped backslash u":  `"\\u0000"`,
		"string escaped noncharacter": `"\uFFFF"`, "string bom inside": "\"\ufeff\"", "string one two three": `"\u0012"`,
		"depth 100": strings.Repeat("[", 100) + strings.Repeat("]", 100),
		"depth mix": strings.Repeat(`{"a":[`, 50) + strings.Repeat(`]}`, 50),
		"many names": func() string {
			var b strings.Builder
			for i := range 500 {
				b.WriteString(`,"n` + strings.Repeat("x", i) + `":1`)
			}
			return "{" + b.String()[1:] + "}"
		}(),
	}
}

// refused are texts that must not be read, with the byte at which the fault is.
func refused() map[string]struct {
	text string
	at   int64
} {
	type c = struct {
		text string
		at   int64
	}
	return map[string]c{
		"array unclosed": {`[1`, 2}, "array comma end": {`[1,]`, 3}, "array comma start": {`[,1]`, 1},
		"array double comma": {`[1,,2]`, 3},
		"array extra close":  {`[1]]`, 3}, "array just open": {`[`, 1}, "array colon": {`[1:2]`, 2},
		"array no comma":        {`[1 2]`, 3},
		"array unclosed nested": {`[[1]`, 4}, "array closed as object": {`[1}`, 2}, "array star": {`[*]`, 1},
		"object unclosed": {`{"a":1`, 6}, "object just open": {`{`, 1}, "object no colon": {`{"a" 1}`, 5},
		"object no value":  {`{"a":}`, 5},
		"object comma end": {`{"a":1,}`, 7}, "object comma start": {`{,"a":1}`, 1}, "object bare name": {`{a:1}`, 1},
		"object single quotes": {`{'a':1}`, 1},
		"object number name":   {`{1:1}`, 1}, "object no comma": {`{"a":1 "b":2}`, 7}, "object double colon": {`{"a"::1}`, 5},
		"object closed as array": {`{"a":1]`, 6}, "object semicolon": {`{"a":1;}`, 6}, "object null name": {`{null:1}`, 1},
		"duplicate": {`{"a":1,"a":2}`, 7}, "duplicate nested": {`{"x":[{"b":1,"b":1}]}`, 13},
		"duplicate escaped":      {`{"a":1,"\u0061":2}`, 7},
		"duplicate escaped both": {`{"\u0061":1,"\u0061":2}`, 12}, "duplicate empty": {`{"":1,"":2}`, 6},
		"duplicate pair":              {"{\"\U0001F639\":1,\"\\ud83d\\ude39\":2}", 10},
		"duplicate after many":        {manyNames(40) + `,"n3":1}`, int64(len(manyNames(40)) + 1)},
		"duplicate at the map's edge": {manyNames(24) + `,"n23":1}`, int64(len(manyNames(24)) + 1)},
		"duplicate in map":            {manyNames(30) + `,"z":1,"z":1}`, int64(len(manyNames(30)) + 7)},
		"number plus":                 {`+1`, 0}, "number leading zero": {`01`, 0}, "number minus leading zero": {`-01`, 0},
		"number double zero": {`00`, 0},
		"number dot":         {`1.`, 2}, "number dot start": {`.5`, 0}, "number dot exponent": {`1.e1`, 2},
		"number empty exponent": {`1e`, 2},
		"number exponent sign":  {`1e+`, 3}, "number minus": {`-`, 1}, "number minus letter": {`-a`, 1},
		"number hex":      {`0x1`, 1},
		"number infinity": {`Infinity`, 0}, "number nan": {`NaN`, 0}, "number minus infinity": {`-Infinity`, 1},
		"number two dots": {`1.2.3`, 3},
		"number letter":   {`1a`, 1}, "number underscore": {`1_000`, 1}, "number double minus": {`--1`, 1},
		"number full-width": {"１", 0},
		"word upper":        {`TRUE`, 0}, "word cut": {`tru`, 0}, "word long": {`nulll`, 4}, "word wrong": {`nan`, 0},
		"word false cut":  {`fals`, 0},
		"string unclosed": {`"a`, 2}, "string just quote": {`"`, 1}, "string single quote": {`'a'`, 0},
		"string control": {"\"a\x01\"", 2},
		"string newline": {"\"a\n\"", 2}, "string tab": {"\"\t\"", 1}, "string nul byte": {"\"\x00\"", 1},
		"string bad escape": {`"\x"`, 1},
		"string escape end": {`"\`, 2}, "string escaped quote end": {`"\"`, 3}, "string u short": {`"\u12"`, 1},
		"string u bad":     {`"\u12g4"`, 1},
		"string capital u": {`"\U0041"`, 1}, "string nul escape": {`"a\u0000"`, 2}, "string lone high": {`"\ud83d"`, 1},
		"string lone low":  {`"\ude39"`, 1},
		"string high high": {`"\ud83d\ud83d"`, 1}, "string high text": {`"\ud83dx"`, 1},
		"string low high": {`"\ude39\ud83d"`, 1}, "string high bad": {`"\ud83d\u12"`, 1},
		"string lone after good": {`"ab\ud83d\ude39\ud83d"`, 15}, "lone in a name": {`{"\ud800":1}`, 2},
		"utf-8 lone continuation": {"\"\x80\"", 1}, "utf-8 cut": {"\"\xe2\x82\"", 1}, "utf-8 overlong": {"\"\xc0\xaf\"", 1},
		"utf-8 surrogate": {"\"\xed\xa0\x80\"", 1},
		"utf-8 beyond":    {"\"\xf5\x80\x80\x80\"", 1}, "utf-8 in a name": {"{\"\xff\":1}", 2}, "utf-8 outside": {"\xff", 0},
		"latin1": {"[\"\xe9\"]", 2},
		"bom":    {"\ufeff{}", 0}, "utf-16": {"[\x00]\x00", 1}, "trailing text": {`{} x`, 3}, "trailing value": {`1 2`, 2},
		"trailing comma": {`1,`, 1},
		"trailing brace": {`{}}`, 2}, "trailing nul": {"1\x00", 1}, "comment": {`/**/1`, 0}, "comment after": {`1//x`, 1},
		"hash":           {`#`, 0},
		"no-break space": {"\u00a01", 0}, "form feed": {"\f1", 0}, "vertical tab": {"[\v1]", 1}, "angle": {`<.>`, 0},
		"depth 101":    {strings.Repeat("[", 101) + strings.Repeat("]", 101), 100},
		"depth 100000": {strings.Repeat("[", 100000), 100},
		"depth object": {strings.Repeat(`{"a":`, 101), 500},
	}
}

// manyNames is an open object with n members n0, n1, ….
func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`,"n` + string(rune('0'+i/10)) + string(rune('0'+i%10)) + `":1`)
	}
	return strings.ReplaceAll("{"+b.String()[1:], `"n0`, `"n`)
}

func TestAccepted(t *testing.T) {
	t.Parallel()
	for name, text := range accepted() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got, want any
			if err := wire.DecodeJSON([]byte(text), &got); err != nil {
				t.Fatalf("%.60q: got %v, want it read", text, err)
			}
			if err := json.Unmarshal([]byte(text), &want); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%.60q: got %v, want %v", text, got, want)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for name, c := range refused() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var v any
			err := wire.DecodeJSON([]byte(c.text), &v)
			var syntax *wire.SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("%.60q: got %v, want a *SyntaxError", c.text, err)
			}
			if syntax.Offset != c.at {
				t.Errorf("%.60q: fault at %d, want %d (%v)", c.text, syntax.Offset, c.at, err)
			}
			if syntax.Reason == "" || v != nil {
				t.Errorf("%.60q: reason %q and value %v, want a reason and nothing read", c.text, syntax.Reason, v)
			}
		})
	}
}

// A huge name must not come back in a huge error.
func TestFaultsAreShort(t *testing.T) {
	t.Parallel()
	name := `"` + strings.Repeat("é", 50000) + `"`
	deep := strings.Repeat("{"+name+":", 50)
	for _, text := range []string{"{" + name + ":1," + name + ":2}", "{" + name + ":x}", deep, "{" + name + ":1}"} {
		var v struct{}
		err := wire.DecodeJSON([]byte(text), &v, wire.DisallowUnknown())
		var syntax *wire.SyntaxError
		if !errors.As(err, &syntax) || len(syntax.Error())+len(syntax.Field) > 1000 || !utf8.ValidString(syntax.Field) {
			t.Errorf("%.20s…: got an error of %d bytes with a path of %d", text, len(err.Error()), len(syntax.Field))
		}
	}
}

func TestPathOfAFault(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":{"b":[1,{"c":tru}]}}`:    "a.b[1].c",
		`{"items":[{},{"n":1,"n":2}]}`: "items[1].n",
		`[[1,2],[3,"\ud800"]]`:         "[1][1]",
		`{"a":"` + "\xff" + `"}`:       "a",
		`{"a":1,`:                      "",
		`{"x y":{"\u0061":[[nope]]}}`:  "x y.a[0][0]",
	} {
		var v any
		var syntax *wire.SyntaxError
		if err := wire.DecodeJSON([]byte(text), &v); !errors.As(err, &syntax) || syntax.Field != want {
			t.Errorf("%q: got %+v, want path %q", text, syntax, want)
		}
	}
}
