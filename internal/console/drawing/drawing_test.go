package drawing_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/console/drawing"
)

// count reads the drawing as XML and counts its elements by name.
func count(t *testing.T, text string) map[string]int {
	t.Helper()
	found := map[string]int{}
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if e, ok := token.(xml.StartElement); ok {
			found[e.Name.Local]++
		}
	}
}

func TestMap(t *testing.T) {
	t.Parallel()
	if drawing.Map("Coffee", nil, drawing.Scale{}) != "" {
		t.Error("nothing is drawn as something")
	}
	text := string(drawing.Map(`Coffee "<b>"`, []drawing.Point{
		{38, 23, 2}, {38, 24, 9}, {37, 23, 18}, {37, 24, 21},
	}, drawing.Scale{Good: 3, Fair: 10, End: 20}))
	if n := count(t, text)["circle"]; n != 4 {
		t.Errorf("%d discs, want 4", n)
	}
	for _, want := range []string{
		">20+<", "is-good", "is-fair", "is-poor", "is-out",
		"4 points, north up: 1 at 1 to 3, 1 up to 10, 1 up to 20, 1 not found",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
	// The date line is no distance.
	far := []drawing.Point{{0, 179.9, 1}, {0, -179.9, 1}, {0.2, 179.9, 1}}
	near := string(drawing.Map("x", far, drawing.Scale{Good: 3}))
	if strings.Contains(near, "NaN") || !strings.Contains(near, `viewBox="0 0 600.0 600.0"`) {
		t.Errorf("over the date line: %.200s", near)
	}
}

func parts() drawing.Words {
	return drawing.Words{One: "part", Many: "parts", Marked: "with a warning"}
}

func TestGraph(t *testing.T) {
	t.Parallel()
	text := string(drawing.Graph("Needs", parts(), []drawing.Node{
		{"a", "1.0.0", ""}, {"<b>", "2.0.0", "GHSA-1"}, {"a name that is far too long to be shown", "3", ""},
	}, []drawing.Edge{{0, 1}, {1, 2}, {2, 0}, {0, 99}, {-1, 0}}))
	found := count(t, text)
	if found["rect"] != 3 || found["path"] != 3 {
		t.Errorf("%d boxes and %d lines, want 3 and 3", found["rect"], found["path"])
	}
	for _, want := range []string{
		"is-bad", "⚠ &lt;b&gt;", "2.0.0 GHSA-1", "a name that is far too …", "3 parts, 5 requirements, 1 with a warning",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
}

// TestGraphIsBounded: a graph of thousands is a picture of the first ones, with the rest
// in words.
func TestGraphIsBounded(t *testing.T) {
	t.Parallel()
	text := string(drawing.Graph("Needs", parts(), make([]drawing.Node, 5000), nil))
	if n := count(t, text)["rect"]; n != drawing.MaxNodes || !strings.Contains(text, "the first 150 are drawn") {
		t.Errorf("%d boxes: %s", n, text[len(text)-200:])
	}
}

func TestClip(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "", "four": "four", "fiver": "fiv…", "四文字だ": "四文字だ", "五文字です": "五文字…"} {
		if got := drawing.Clip(in, 4); got != want {
			t.Errorf("Clip(%q, 4) = %q, want %q", in, got, want)
		}
	}
}
