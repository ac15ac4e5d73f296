package seed_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/seed"
)

type note struct {
	Title string `json:"title" doc:"What it is about."`
	Body  string `json:"body,omitempty"`
	Kind  string `json:"kind,omitempty" enum:"short,long"`
	Count int64  `json:"count,omitempty"`

	Share  float64           `json:"share,omitempty"`
	Done   bool              `json:"done,omitempty"`
	At     *time.Time        `json:"at,omitempty"`
	Tags   []string          `json:"tags,omitempty"`
	Values []float64         `json:"values,omitempty"`
	Files  map[string]string `json:"files,omitempty"`
	Below  []note            `json:"below,omitempty"`
	From   string            `json:"from,omitempty" folder:"files"`
}

// notes is a section that keeps what is applied.
type notes struct {
	list   []note
	refuse string
}

func (n *notes) sections() []seed.Section {
	return []seed.Section{seed.NewSection("notes", "Notes",
		func(_ context.Context, r *seed.Run, element note) error {
			for i, b := range element.Below {
				if b.Title == n.refuse {
					return seed.At(seed.At(errors.New("refused"), "title"), "below", i)
				}
			}
			n.list = append(n.list, element)
			r.Env[element.Title] = "made"
			return nil
		},
		func(context.Context) ([]note, error) { return n.list, nil },
	)}
}

func apply(t *testing.T, n *notes, text string) (seed.Applied, error) {
	t.Helper()
	f, err := seed.Read("world.yaml", []byte(text), n.sections())
	if err != nil {
		return seed.Applied{}, err
	}
	return f.Apply(t.Context(), &seed.Run{})
}

// What is written is read back as it was.
func TestWrittenIsReadBack(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 9, 0, 0, 5e6, time.UTC)
	values := make([]float64, 30)
	for i := range values {
		values[i] = float64(i) / 7
	}
	want := []note{
		{Title: "plain"},
		{Title: "yes", Body: "1e3", Kind: "short", Count: -4, Share: 0.25, Done: true, At: &at},
		{Title: "", Body: "a\nb\n\nc"},
		{Title: " edges ", Body: "line one\n  indented: [x\n- item\n", Tags: []string{"a b", "#c", "ü:", "null", "-"}},
		{Title: "odd", Body: "\n\nbegins empty", Tags: []string{"tab\there", "trailing \nspace", "ends\n\n", "\u2028"}},
		{
			Title: "deep", Values: values, Files: map[string]string{"a/b.md": "# T\n\ntext\n", "x y": "", "~": "n"},
			Below: []note{
				{Title: "one", Below: []note{{Title: "two", Body: "a\nb\n", Values: []float64{1, 2}}}}, {Title: "three"},
			},
		},
	}
	from := &notes{list: want}
	text, err := seed.Write(t.Context(), from.sections())
	if err != nil {
		t.Fatal(err)
	}
	to := &notes{}
	if _, err := apply(t, to, string(text)); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if !reflect.DeepEqual(to.list, want) {
		t.Errorf("read back\n%#v\nwant\n%#v\nfrom\n%s", to.list, want, text)
	}
}

func TestRefusalsNameLineAndColumn(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ text, want string }{
		"not yaml":        {"notes: [", "world.yaml:1:"},
		"unknown section": {"users: []\nnots: []\n", `world.yaml:1:1: "users" is not known; known are notes`},
		"unknown member":  {"notes:\n- title: a\n  titel: b\n", `world.yaml:3:3: notes[0]: "titel" is not known`},
		"missing member":  {"notes:\n- title: a\n- body: b\n", "world.yaml:3:3: notes[1]: title is missing"},
		"wrong type":      {"notes:\n- title: 7\n", "world.yaml:2:10: notes[0].title: a text is expected: put 7 in quotes"},
		"not of the enum": {"notes:\n- {title: a, kind: tall}\n", `notes[0].kind: "tall" is not one of short, long`},
		"not a list":      {"notes: {a: 1}\n", "world.yaml:1:8: notes: a list is expected, not an object"},
		"not a time":      {"notes:\n- title: a\n  at: tomorrow\n", "world.yaml:3:7: notes[0].at: a time such as"},
		"fraction":        {"notes:\n- title: a\n  count: 1.5\n", "world.yaml:3:10: notes[0].count: a whole number"},
		"twice":           {"notes:\n- title: a\n  title: b\n", "world.yaml:3:3: "},
		"alias":           {"notes:\n- &a {title: x}\n- *a\n", "world.yaml:2:"},
		"refused": {
			"notes:\n- title: a\n  below:\n  - title: b\n  - title: bad\n",
			"world.yaml:5:12: notes[0].below[1].title: refused",
		},
		"two documents":  {"notes: []\n---\nnotes: []\n", "second document"},
		"a scalar":       {"seven\n", "world.yaml:1:1: an object is expected"},
		"too long":       {strings.Repeat("# long\n", 200_000), "more than 1048576 bytes"},
		"too many marks": {"notes: " + strings.Repeat("[", 5000), "break the line"},
		"too deep":       {"notes:\n- title: a\n  below: " + strings.Repeat("[", 60), "world.yaml:3:"},
		"not text":       {"notes: \xff\n", "not UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := apply(t, &notes{refuse: "bad"}, row.text)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want %q", err, row.want)
			}
		})
	}
}

func TestApplyCountsAndNames(t *testing.T) {
	t.Parallel()
	n := &notes{}
	done, err := apply(t, n, "notes:\n- title: a\n- title: b\n  from: sub/folder\n")
	if err != nil || done.Sections["notes"] != 2 || done.Env["b"] != "made" {
		t.Errorf("applied %+v, %v", done, err)
	}
	for _, text := range []string{"", "# nothing\n", "notes:\n", "notes: []\n"} {
		if done, err := apply(t, &notes{}, text); err != nil || done.Sections["notes"] != 0 {
			t.Errorf("%q: %+v, %v", text, done, err)
		}
	}
}

// What is in folders can be written into the file; lines keep their numbers.
func TestInline(t *testing.T) {
	t.Parallel()
	files := func(folder string) (map[string]string, error) {
		if folder != "sub/folder" {
			return nil, errors.New("there is no such folder")
		}
		return map[string]string{"a.txt": "a", `b"`: "\xff"}, nil
	}
	const inline = `files: {"a.txt":"YQ==","b\"":"/w=="}`
	for text, want := range map[string]string{
		"notes:\n- from: sub/folder # here\n  title: b\n":         "notes:\n- " + inline + " # here\n  title: b\n",
		"notes: [{title: é, from: 'sub/folder', done: true}]":     "notes: [{title: é, " + inline + ", done: true}]",
		"notes:\n- {title: a, from: up}\n":                        "world.yaml:2:20: notes[0].from: there is no such folder",
		"notes:\n- title: a\n  from: |-\n    sub/folder\n":        "world.yaml:3:9: notes[0].from: write the name",
		"notes:\n- {title: a, from: sub/folder, files: {a: b}}\n": "world.yaml:2:",
		"notes:\n- {title: a, form: sub/folder}\n":                "world.yaml:2:14: notes[0]: \"form\" is not known",
	} {
		got, err := seed.Inline("world.yaml", []byte(text), (&notes{}).sections(), files)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q:\ngot  %s\nwant %s", text, got, want)
		}
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	text, err := seed.Schema((&notes{}).sections())
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Properties map[string]struct{ Items map[string]string }
		Defs       map[string]struct {
			Required   []string
			Properties map[string]struct {
				Type, Format, Description string
				Enum                      []string
			}
			AdditionalProperties *bool
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(got.Properties["notes"].Items["$ref"], "#/$defs/")
	items := got.Defs[name]
	if !reflect.DeepEqual(items.Required, []string{"title"}) || items.AdditionalProperties == nil ||
		*items.AdditionalProperties || items.Properties["title"].Description != "What it is about." ||
		items.Properties["at"].Format != "date-time" || len(items.Properties["kind"].Enum) != 2 {
		t.Errorf("the schema is %s", text)
	}
}

// FuzzRead never panics, and every text that a file can hold is written so that it is
// read back.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"notes:\n- title: a\n", "notes: [{title: x, values: [1, 2]}]\n", "a: &b c\n", "- |\n  x\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := seed.Read("f", text, (&notes{}).sections()); err != nil && !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("the refusal has no place: %v", err)
		}
		title := strings.ToValidUTF8(string(text), "?")
		if len(title) > 2000 || strings.ContainsRune(title, 0) {
			return
		}
		written, err := seed.Write(t.Context(), (&notes{list: []note{{Title: title, Tags: []string{title}}}}).sections())
		if err != nil {
			t.Fatal(err)
		}
		to := &notes{}
		if _, err := apply(t, to, string(written)); err != nil || len(to.list) != 1 || to.list[0].Title != title {
			t.Errorf("%q was written as\n%s\nand read as %+v, %v", title, written, to.list, err)
		}
	})
}
