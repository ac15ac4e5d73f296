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
	b.Key("run_time").Float(1.5)
	b.Key("whole").Float(2)
	b.Key("admin").Bool(true)
	b.Key("node").Null()
	b.Key("feature/x").Array().Int(1).Object().End().Array().End().End()
	b.Key("raw").JSON([]byte(`{"a":[1,{"b":null}],"c d":"e","f":true,"n":12345678901234567890}`))
	return b.End()
}

func TestBuilderForms(t *testing.T) {
	t.Parallel()
	const edn = `{:login "ada \"λ\"\n\u0001", :build_num -7, :run_time 1.5, :whole 2.0, :admin true, :node nil, ` +
		`"feature/x" [1, {}, []], :raw {:a [1, {:b nil}], "c d" "e", :f true, :n 12345678901234567890}}`
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

// TestBuilderFragments checks that a list of embedded values is the list itself.
func TestBuilderFragments(t *testing.T) {
	t.Parallel()
	for _, form := range []Form{CompactJSON, IndentedJSON, EDN} {
		whole := NewBuilder(form, nil).Array()
		sample(whole)
		sample(whole)
		whole.End()
		embedded := NewBuilder(form, nil).Array()
		for range 2 {
			part := NewFragment(form, 1)
			embedded.Embed(sample(part).Bytes())
		}
		embedded.End()
		if got, want := string(embedded.Bytes()), string(whole.Bytes()); got != want {
			t.Errorf("form %d\ngot  %s\nwant %s", form, got, want)
		}
	}
}

func TestBuilderBadJSONIsNull(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"", "{", "[1,", "nope", `{"a"}`} {
		for _, form := range []Form{CompactJSON, IndentedJSON, EDN} {
			b := NewBuilder(form, nil).Object()
			b.Key("x").JSON([]byte(raw)).Key("y").Int(1).End()
			if form == CompactJSON && string(b.Bytes()) != `{"x":null,"y":1}` {
				t.Errorf("%q: got %s", raw, b.Bytes())
			}
			if form == EDN && string(b.Bytes()) != `{:x nil, :y 1}` {
				t.Errorf("%q: got %s", raw, b.Bytes())
			}
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
