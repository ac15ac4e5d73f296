package chart_test

import (
	"errors"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/draw"
	"stoa.dev/stoa/internal/service/snapshots/chart"
)

// crowd is a layer of series whose times differ when apart is set.
func crowd(series, points int, apart bool) []chart.Series {
	var out []chart.Series
	for i := range series {
		s := chart.Series{Name: "s"}
		for k := range points {
			at := int64(k) * 1000
			if apart {
				at += int64(i)
			}
			s.Points = append(s.Points, chart.Point{T: at, V: float64(k)})
		}
		out = append(out, s)
	}
	return out
}

func TestPicturesAreBounded(t *testing.T) {
	t.Parallel()
	renderer, err := draw.NewRenderer()
	if err != nil {
		t.Fatal(err)
	}
	painter := chart.NewPainter(renderer)
	base := chart.Chart{Kind: chart.Timeseries, Width: 300, Height: 200, From: time.Unix(0, 0), To: time.Unix(1500, 0)}
	for _, row := range []struct {
		name          string
		width, height int
		layer         chart.Layer
		refused       bool
	}{
		{
			"stacked at common times", 300, 200,
			chart.Layer{Display: chart.Area, Stacked: true, Series: crowd(50, 300, false)}, false,
		},
		{
			"stacked at their own times", 300, 200,
			chart.Layer{Display: chart.Area, Stacked: true, Series: crowd(500, 300, true)}, true,
		},
		{"bars at their own times", 300, 200, chart.Layer{Display: chart.Bars, Series: crowd(500, 300, true)}, true},
		{"lines at their own times", 300, 200, chart.Layer{Display: chart.Line, Series: crowd(500, 30, true)}, false},
		{
			"many points in many strips", 10_000, 10_000,
			chart.Layer{Display: chart.Line, Series: crowd(1200, 1000, false)}, true,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := base
			c.Width, c.Height, c.Layers = row.width, row.height, []chart.Layer{row.layer}
			_, err := painter.PNG(c)
			var large *chart.SizeError
			if errors.As(err, &large) != row.refused || !row.refused && err != nil {
				t.Errorf("err = %v, want refused %t", err, row.refused)
			}
			if c.Bytes() < int64(row.width*row.height)/4 {
				t.Errorf("Bytes = %d, want at least the file", c.Bytes())
			}
		})
	}
}

// What a picture costs depends on the values: lines that go up and down cross more rows, and areas cover pixels.
func TestPaintingWorkIsBounded(t *testing.T) {
	t.Parallel()
	renderer, err := draw.NewRenderer()
	if err != nil {
		t.Fatal(err)
	}
	painter := chart.NewPainter(renderer)
	series := func(n, points int, value func(k int) float64) []chart.Series {
		out := crowd(n, points, false)
		for i := range out {
			for k := range out[i].Points {
				out[i].Points[k] = chart.Point{T: int64(k) * 1_500_000 / int64(points), V: value(k)}
			}
		}
		return out
	}
	jagged := func(k int) float64 { return float64(k % 2) }
	smooth := func(k int) float64 { return float64(k) }
	for name, row := range map[string]struct {
		side    int
		layer   chart.Layer
		refused bool
	}{
		"jagged":      {4000, chart.Layer{Display: chart.Line, Series: series(100, 1000, jagged)}, true},
		"jagged sums": {4000, chart.Layer{Display: chart.Area, Stacked: true, Series: series(100, 1000, jagged)}, true},
		"smooth":      {1000, chart.Layer{Display: chart.Line, Series: series(100, 1000, smooth)}, false},
		"a few":       {1000, chart.Layer{Display: chart.Line, Series: series(3, 1000, jagged)}, false},
		"areas":       {4000, chart.Layer{Display: chart.Area, Series: series(2000, 2, smooth)}, true},
		"one area":    {1000, chart.Layer{Display: chart.Area, Series: series(1, 2, smooth)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := chart.Chart{
				Kind: chart.Timeseries, Width: row.side, Height: row.side, From: time.Unix(0, 0), To: time.Unix(1500, 0),
				Layers: []chart.Layer{row.layer},
			}
			_, err := painter.PNG(c)
			var large *chart.SizeError
			if errors.As(err, &large) != row.refused || !row.refused && err != nil {
				t.Errorf("err = %v, want refused %t", err, row.refused)
			}
		})
	}
}
