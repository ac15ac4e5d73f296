package snapshots

import (
	"testing"

	"stoa.dev/stoa/internal/platform/draw"
)

// Every named palette of conditional formats can be read.
func TestFormatsCanBeRead(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"white_on_red", "white_on_green", "white_on_yellow", "white_on_orange", "white_on_blue", "white_on_gray",
		"red_on_white", "green_on_white", "yellow_on_white", "orange_on_white", "blue_on_white", "gray_on_white",
		"black_on_light_red", "black_on_light_green", "black_on_light_yellow", "black_on_light_blue", "red", "green",
		"yellow", "blue", "gray",
	} {
		fill, text := formatColors(name)
		if fill == nil || text == nil {
			t.Errorf("%s: no colours", name)
			continue
		}
		if c := draw.Contrast(*fill, *text); c < draw.Readable {
			t.Errorf("%s: contrast %.2f, want %.1f", name, c, draw.Readable)
		}
	}
}

// A definition names what is read at the right.
func TestRightAxis(t *testing.T) {
	t.Parallel()
	p, err := makePlan(GraphRequest{Start: 1, End: 2, GraphDef: `{"requests":[{"q":"a{*}"},
		{"q":"b{*}","on_right_yaxis":true}],"right_yaxis":{"max":"100","label":"share","scale":"log"}}`})
	if err != nil {
		t.Fatal(err)
	}
	if p.layers[0].layer.Right || !p.layers[1].layer.Right || *p.chart.Right.Max != 100 || p.chart.Right.Label != "share" {
		t.Errorf("axes: %+v", p.chart.Right)
	}
	_, err = makePlan(GraphRequest{Start: 1, End: 2, GraphDef: `{"requests":[{"q":"a{*}"}],"right_yaxis":{"min":"x"}}`})
	if err == nil {
		t.Error("a minimum that is not a number is accepted")
	}
}
