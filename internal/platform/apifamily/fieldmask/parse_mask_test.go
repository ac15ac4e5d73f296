package fieldmask_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/apifamily/fieldmask"
	"stoa.dev/stoa/internal/platform/fuzztest"
)

type page struct {
	Kind  string           `json:"kind"`
	Items []*item          `json:"items"`
	More  map[string]point `json:"more,omitempty"`
	Open  json.RawMessage  `json:"open,omitempty"`
	embedded
}

type embedded struct {
	Inside int `json:"inside"`
}

type item struct {
	ID    int64 `json:"id"`
	Start point `json:"start"`
}

type point struct {
	Date string `json:"date"`
	Zone string `json:"zone,omitempty"`
}

const answer = `{"kind":"k","items":[{"id":9007199254740993,"start":{"date":"d \"}]{","zone":"z"}}, {"id":2}],` +
	`"more":{"a":{"date":"1"}},"open":{"x":[1.50,null]},"inside":7}`

func TestFilter(t *testing.T) {
	t.Parallel()
	for fields, want := range map[string]string{
		"kind":                        `{"kind":"k"}`,
		"items/id":                    `{"items":[{"id":9007199254740993},{"id":2}]}`,
		"items(id,start/zone),kind":   `{"kind":"k","items":[{"id":9007199254740993,"start":{"zone":"z"}},{"id":2}]}`,
		" items ( id ) , kind ":       `{"kind":"k","items":[{"id":9007199254740993},{"id":2}]}`,
		"items(start(zone))":          `{"items":[{"start":{"zone":"z"}},{}]}`,
		"items/*/zone":                `{"items":[{"id":9007199254740993,"start":{"zone":"z"}},{"id":2}]}`,
		"more/a,inside":               `{"more":{"a":{"date":"1"}},"inside":7}`,
		"more/*/date":                 `{"more":{"a":{"date":"1"}}}`,
		"open/x":                      `{"open":{"x":[1.50,null]}}`,
		"inside,items/id,items/start": `{"items":[{"id":9007199254740993,"start":{"date":"d \"}]{","zone":"z"}},{"id":2}],"inside":7}`,
	} {
		mask, err := fieldmask.Parse(fields)
		if err != nil {
			t.Errorf("%s: %v", fields, err)
			continue
		}
		if err := mask.Check(reflect.TypeFor[page]()); err != nil {
			t.Errorf("%s: %v", fields, err)
		}
		if got := string(mask.Filter([]byte(answer))); got != want {
			t.Errorf("%s:\n got %s\nwant %s", fields, got, want)
		}
	}
}

// A member that is named as a whole stays whole, whatever else names a part of it.
func TestWholeMembersStayWhole(t *testing.T) {
	t.Parallel()
	for _, fields := range []string{"*", "kind,items,items/id,more,open,inside", "items(start/date),*"} {
		mask, err := fieldmask.Parse(fields)
		if err != nil {
			t.Fatal(err)
		}
		got := string(mask.Filter([]byte(answer)))
		if strings.ReplaceAll(got, ", {", ",{") != strings.ReplaceAll(answer, ", {", ",{") {
			t.Errorf("%s: got %s", fields, got)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for _, fields := range []string{
		",", "a,", "a(b", "a)b", "a//b", "(a)", "a(b))", "a(", strings.Repeat("a,", 3000),
		strings.Repeat("a/", 30) + "a", strings.Repeat("a(", 30) + "a" + strings.Repeat(")", 30),
	} {
		if _, err := fieldmask.Parse(fields); !errors.As(err, new(*fieldmask.Error)) {
			t.Errorf("%.40q: got %v", fields, err)
		}
	}
}

// A refusal says where a name is missing.
func TestMissingNames(t *testing.T) {
	t.Parallel()
	for fields, want := range map[string]string{
		"items(": "after items(", "items()": "after items(", "items( )": "after items(", "items/": "after items/",
		"a,,b": "after a,", "kind,": "after kind,", "": "begin with a name", " ": "begin with a name",
		"/a":                           "begin with a name",
		strings.Repeat("ü", 100) + "(": "after …ü",
	} {
		if _, err := fieldmask.Parse(fields); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), "Invalid field selection") || !utf8.ValidString(err.Error()) {
			t.Errorf("%q: got %v, want %q", fields, err, want)
		}
	}
}

func TestUnknownMembers(t *testing.T) {
	t.Parallel()
	for _, fields := range []string{
		"nothing", "kind,nothing", "items/nothing", "items(id,start/nothing)", "kind/x", "more/a/nothing",
		"items/*/nothing", "Kind", "items,items/nothing",
	} {
		mask, err := fieldmask.Parse(fields)
		if err != nil {
			t.Fatal(err)
		}
		if err := mask.Check(reflect.TypeFor[*page]()); !errors.As(err, new(*fieldmask.Error)) {
			t.Errorf("%s: got %v", fields, err)
		}
	}
}

func FuzzFilter(f *testing.F) {
	fuzztest.Strings(f, "kind,items(id,start/date)", "*", "more/*/date",
		"items(", "items()", "a(b(c,d)/e", ",", "a(b) ,c ")
	f.Fuzz(func(t *testing.T, fields string) {
		mask, err := fieldmask.Parse(fields)
		if err != nil {
			if detail := strings.TrimPrefix(err.Error(), "Invalid field selection"); strings.TrimSpace(detail) == "" {
				t.Errorf("%q is refused without a reason", fields)
			}
			return
		}
		if strings.Count(fields, "(") != strings.Count(fields, ")") || hasEmptyName(mask) {
			t.Errorf("%q is accepted as %v", fields, mask)
		}
		_ = mask.Check(reflect.TypeFor[page]()) // must not panic
		if got := mask.Filter([]byte(answer)); !json.Valid(got) {
			t.Errorf("%q: %s is not JSON", fields, got)
		}
	})
}

// FuzzJSON: whatever an answer is, what is kept of it is an answer too.
func FuzzJSON(f *testing.F) {
	fuzztest.Strings(f, answer, `[[{"kind":{"kind":1}}]]`, `"kind"`, `{"\u006bind":{"x":0}}`)
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) {
			return
		}
		for _, fields := range []string{"kind", "items/id,*/x", "*"} {
			mask, err := fieldmask.Parse(fields)
			if err != nil {
				t.Fatal(err)
			}
			if got := mask.Filter([]byte(text)); !json.Valid(got) {
				t.Errorf("%s of %q: %s is not JSON", fields, text, got)
			}
		}
	})
}

func hasEmptyName(m fieldmask.Mask) bool {
	for name, inner := range m {
		if strings.TrimSpace(name) == "" || hasEmptyName(inner) {
			return true
		}
	}
	return false
}
