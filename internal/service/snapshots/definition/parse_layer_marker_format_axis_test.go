package definition

import (
	"strconv"
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

func TestMarkers(t *testing.T) {
	t.Parallel()
	show := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return strconv.FormatFloat(*v, 'g', -1, 64)
	}
	for text, want := range map[string]string{
		"y = 15": "15 15", "0 < y < 10": "0 10", "y > 3": "3 -", "y <= -2.5": "- -2.5", "1e3 <= y": "1000 -",
		" y=4 ": "4 4",
	} {
		m, err := Marker{Value: text, DisplayType: "error dashed bold"}.Read()
		if got := show(m.From) + " " + show(m.To); err != nil || got != want {
			t.Errorf("marker %q = %s, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "y", "x = 3", "y = ", "y = 1..2", "3 < y = 5 6"} {
		if m, err := (Marker{Value: text}).Read(); err == nil {
			t.Errorf("marker %q = %+v, want an error", text, m)
		}
	}
}

func TestSubstitute(t *testing.T) {
	t.Parallel()
	names := map[string]string{"a": "sum:x{*}", "query1": "avg:y{*} by {host}"}
	for formula, want := range map[string]string{
		"a": "(sum:x{*})", "a/query1*100": "(sum:x{*})/(avg:y{*} by {host})*100", "abs(a) + ab": "abs((sum:x{*})) + ab",
		"": "",
	} {
		if got, err := Substitute("q", formula, names); err != nil || got != want {
			t.Errorf("substitute(%q) = %q, want %q", formula, got, want)
		}
	}
}
