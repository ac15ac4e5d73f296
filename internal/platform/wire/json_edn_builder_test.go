package wire

import (
	"encoding/json"
	"reflect"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// sample describes one value of every sort.
func sample(b *Builder) *Builder {
	b.Object()
	b.Key("login").Text("ada \"λ\"\n\x01")
	b.Key("build_num").Int(-7)
	b.Key("admin").Bool(true)
	b.Key("node").Null()
	b.Key("feature/x").Array().Int(1).Object().End().Array().End().End()
	return b.End()
}

func TestBuilderForms(t *testing.T) {
	t.Parallel()
	const edn = `{:login "ada \"λ\"\n\u0001", :build_num -7, :admin true, :node nil, "feature/x" [1, {}, []]}`
	if got := string(sample(NewBuilder(EDN, nil)).Bytes()); got != edn {
		t.Errorf("edn\ngot  %s\nwant %s", got, edn)
	}
	compact, indented := sample(NewBuilder(CompactJSON, nil)).Bytes(), sample(NewBuilder(IndentedJSON, nil)).Bytes()
	var one, two any
	if err := json.Unmarshal(compact, &one); err != nil {
		t.Fatalf("%s: %v", compact, err)
	}
	if err := json.Unmarshal(indented, &two); err != nil {
		t.Fatalf("%s: %v", indented, err)
	}
	if !reflect.DeepEqual(one, two) {
		t.Errorf("the forms differ\ncompact  %v\nindented %v", one, two)
	}
	const head = "{\n  \"login\" : \"ada"
	if got := string(indented[:len(head)]); got != head {
		t.Errorf("indented begins %q, want %q", got, head)
	}
}

// encoded is what Encode writes for a value of numbers, an inner value and names.
func encoded(t *testing.T, f Form, depth int) []byte {
	t.Helper()
	raw := json.RawMessage(`{"a":[1,{"b":null}],"c d":"e","f":true,"n":12345678901234567890}`)
	text, err := f.Encode(map[string]any{"half": f.Fraction(1.5), "raw": raw, "whole": f.Fraction(2)}, depth)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestEncode(t *testing.T) {
	t.Parallel()
	for form, want := range map[Form]string{
		CompactJSON: `{"half":1.5,"raw":{"a":[1,{"b":null}],"c d":"e","f":true,"n":12345678901234567890},"whole":2}`,
		EDN: `{:half 1.5, :raw {:a [1, {:b nil}], "c d" "e", :f true, :n 12345678901234567890}, ` +
			`:whole 2.0}`,
	} {
		if got := string(encoded(t, form, 0)); got != want {
			t.Errorf("form %d\ngot  %s\nwant %s", form, got, want)
		}
	}
}

// TestList checks that a list of values that were encoded apart is the list itself.
func TestList(t *testing.T) {
	t.Parallel()
	for _, form := range []Form{CompactJSON, IndentedJSON, EDN} {
		raw := json.RawMessage(encoded(t, CompactJSON, 0))
		want, err := form.Encode([]json.RawMessage{raw, raw}, 0)
		if err != nil {
			t.Fatal(err)
		}
		part, err := form.Encode(raw, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := form.List(nil, [][]byte{part, part}); string(got) != string(want) {
			t.Errorf("form %d\ngot  %s\nwant %s", form, got, want)
		}
	}
}

func FuzzBuilderText(f *testing.F) {
	fuzztest.Strings(f, "", "a", "\"\\\x00\x1f\x7f", "λ\xff\xfe", "\u2028")
	f.Fuzz(func(t *testing.T, s string) {
		var got string
		if err := json.Unmarshal(NewBuilder(CompactJSON, nil).Text(s).Bytes(), &got); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		if want := string([]rune(s)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
