package chart_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/draw"
	"stoa.dev/stoa/internal/service/snapshots/chart"
)

// TestToplistNamesAreReadable: a name stands on its bar, whatever the colour of the
// conditional format, in both themes.
func TestToplistNamesAreReadable(t *testing.T) {
	t.Parallel()
	p := newPainter(t)
	for _, dark := range []bool{false, true} {
		theme := draw.Light()
		if dark {
			theme = draw.Dark()
		}
		for _, hex := range []uint32{0xffffff, 0xffff00, 0xf1d9a0, 0x00ff00, 0xc53a3a, 0x96660a, 0x0000ff, 0x000000} {
			fill := draw.RGB(hex)
			b, err := p.PNG(chart.Chart{
				Kind: chart.Toplist, Width: 440, Height: 240, Dark: dark, From: noon(), To: noon(), Precision: -1,
				Layers:  []chart.Layer{{Series: []chart.Series{{Value: 7}}}},
				Formats: []chart.Format{{Comparator: ">", Fill: &fill}},
			})
			if err != nil {
				t.Fatal(err)
			}
			// The only bar has the full width; this is well within it.
			r, g, bl, _ := decode(t, b).At(330, 20).RGBA()
			bar := draw.RGB(r>>8<<16 | g>>8<<8 | bl>>8)
			if bar == theme.Background {
				t.Errorf("%06x, dark %v: no bar", hex, dark)
			}
			if c := draw.Contrast(bar, theme.Text); c < draw.Readable {
				t.Errorf("%06x, dark %v: name on the bar has contrast %.1f, want %.1f", hex, dark, c, draw.Readable)
			}
		}
	}
}
