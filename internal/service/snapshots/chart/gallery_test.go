package chart_test

import (
	"fmt"
	"math"
	"time"

	"stoa.dev/stoa/internal/platform/draw"
	"stoa.dev/stoa/internal/platform/draw/axis"
	"stoa.dev/stoa/internal/service/snapshots/chart"
)

type picture struct {
	name  string
	chart chart.Chart
}

func noon() time.Time { return time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC) }

// line is n points over a day with a daily rhythm, some noise and seed k.
func line(n, k int) chart.Series {
	s := chart.Series{Name: fmt.Sprintf("host:web-%02d", k), Interval: 24 * time.Hour / time.Duration(n)}
	state := uint32(k)*2654435761 + 12345
	for i := range n {
		state = state*1664525 + 1013904223
		noise := float64(state>>8)/float64(1<<24) - 0.5
		x := float64(i) / float64(n)
		v := 40 + 8*float64(k) + 18*math.Sin(x*2*math.Pi+float64(k)) + 6*math.Sin(x*31+float64(2*k)) + 7*noise
		s.Points = append(s.Points, chart.Point{T: noon().Add(time.Duration(i) * s.Interval).UnixMilli(), V: v})
	}
	return s
}

func lines(n, from, to int) []chart.Series {
	var out []chart.Series
	for k := from; k < to; k++ {
		out = append(out, line(n, k))
	}
	return out
}

// hour is a chart of a day from noon to noon.
func hour(title string, s ...chart.Series) chart.Chart {
	return chart.Chart{
		Kind: chart.Timeseries, Title: title, Width: 600, Height: 300, From: noon(), To: noon().Add(24 * time.Hour),
		Precision: -1,
		Layers:    []chart.Layer{{Display: chart.Line, Series: s}},
	}
}

func with(c chart.Chart, change func(*chart.Chart)) chart.Chart {
	change(&c)
	return c
}

func num(v float64) *float64 { return &v }

func gallery() []picture {
	out := []picture{
		{"line", hour("CPU by host", lines(288, 1, 4)...)},
		{"line-dense", with(hour("1440 points", line(1440, 3)), func(c *chart.Chart) { c.Width, c.Height = 800, 400 })},
		{"small", with(hour("", line(96, 2)), func(c *chart.Chart) { c.Width, c.Height = 300, 185 })},
		{"tiny", with(hour("Tiny", line(96, 2)), func(c *chart.Chart) { c.Width, c.Height = 100, 100 })},
		{"dark", with(hour("Dark theme", lines(288, 1, 5)...), func(c *chart.Chart) { c.Dark = true })},
		{
			"scale-2",
			with(hour("Twice as sharp", lines(288, 1, 3)...), func(c *chart.Chart) {
				c.Scale = 2
				c.Width, c.Height = 400, 220
			}),
		},
		{"no-data", hour("Nothing here")},
		{"many", hour("A hundred hosts", lines(144, 0, 100)...)},
		{"area", with(hour("Area", line(288, 2)), func(c *chart.Chart) { c.Layers[0].Display = chart.Area })},
		{"stacked", with(hour("Stacked area", lines(144, 0, 5)...), func(c *chart.Chart) {
			c.Layers[0].Display, c.Layers[0].Stacked, c.Layers[0].Palette = chart.Area, true, "cool"
		})},
		{
			"bars",
			with(hour("Bars", lines(48, 0, 3)...), func(c *chart.Chart) {
				c.Layers[0].Display, c.Layers[0].Palette = chart.Bars, "warm"
			}),
		},
		{"bars-dark", with(hour("", lines(48, 0, 4)...), func(c *chart.Chart) {
			c.Layers[0].Display, c.Layers[0].Palette, c.Dark = chart.Bars, "cool", true
		})},
		{"styles", stylesChart()},
		{"gaps", gapsChart()},
		{"markers", markersChart()},
		{"log", logChart()},
		{
			"sqrt",
			with(hour("Root scale", line(288, 2)), func(c *chart.Chart) {
				c.Axis.Kind, c.Axis.Exponent = axis.Sqrt, 0.5
			}),
		},
		{
			"pow",
			with(hour("Third power", line(288, 2)), func(c *chart.Chart) {
				c.Axis.Kind, c.Axis.Exponent = axis.Pow, 3
			}),
		},
		{
			"negative",
			with(hour("Below zero", shift(line(288, 2), -60)), func(c *chart.Chart) {
				c.Layers[0].Display = chart.Area
			}),
		},
		{
			"expanded",
			with(hour("With numbers", lines(288, 1, 5)...), func(c *chart.Chart) {
				c.Legend = chart.LegendExpanded
				c.Height = 360
			}),
		},
		{
			"zone",
			with(hour("Local time", line(288, 3)), func(c *chart.Chart) { c.Zone = time.FixedZone("JST", 9*3600) }),
		},
	}
	return append(out, otherKinds()...)
}

func shift(s chart.Series, by float64) chart.Series {
	for i := range s.Points {
		s.Points[i].V += by
	}
	return s
}

func stylesChart() chart.Chart {
	c := hour("Solid, dashed, dotted, thick")
	c.Layers = nil
	for i, d := range []chart.Dash{chart.Solid, chart.Dashed, chart.Dotted, chart.Solid} {
		c.Layers = append(c.Layers, chart.Layer{
			Display: chart.Line, Dash: d, Width: []float64{1, 1.5, 2, 3.5}[i], Series: []chart.Series{line(96, 2*i)},
		})
	}
	return c
}

func gapsChart() chart.Chart {
	s := line(288, 2)
	s.Points = append(append(append([]chart.Point{}, s.Points[:60]...), s.Points[90:140]...), s.Points[150:]...)
	s.Points[75].V = math.NaN()
	s.Points[150].V, s.Points[152].V = math.NaN(), math.NaN()
	s.Points[180].V = math.Inf(1)
	return hour("Gaps stay gaps", s)
}

func markersChart() chart.Chart {
	c := hour("Markers and events", line(288, 2))
	c.Axis.Max = num(100)
	c.Markers = []chart.Marker{
		{From: num(80), To: num(80), Label: "limit 80", Severity: chart.Error, Dash: chart.Dashed},
		{From: num(65), To: num(80), Label: "busy", Severity: chart.Warning},
		{To: num(40), Label: "idle", Severity: chart.OK},
	}
	c.Bands = []chart.Band{
		{From: noon().Add(4 * time.Hour), To: noon().Add(5 * time.Hour), Label: "deploy"},
		{From: noon().Add(16 * time.Hour), To: noon().Add(16 * time.Hour), Severity: chart.Error},
	}
	return c
}

func logChart() chart.Chart {
	s := line(288, 1)
	for i := range s.Points {
		s.Points[i].V = math.Pow(10, s.Points[i].V/16) * 1024
	}
	s.Unit = "byte"
	c := hour("Logarithmic", s)
	c.Axis.Kind = axis.Log
	return c
}

func otherKinds() []picture {
	var top, changes []chart.Series
	for i := range 8 {
		v := 950 * math.Pow(0.72, float64(i))
		top = append(top, chart.Series{
			Name: fmt.Sprintf("service:checkout-%d, env:prod", i), Value: v, Unit: "request/second",
		})
		changes = append(changes, chart.Series{
			Name: fmt.Sprintf("host:db-%02d", i), Value: v, Before: v * (1.3 - 0.1*float64(i)), Unit: "byte",
		})
	}
	white, red := draw.RGB(0xffffff), draw.RGB(0xd64545)
	kind := func(k chart.Kind, title string, s ...chart.Series) chart.Chart {
		return with(hour(title, s...), func(c *chart.Chart) { c.Kind = k })
	}
	value := kind(chart.QueryValue, "Requests", chart.Series{Value: 12345.678, Unit: "request/second"})
	return []picture{
		{"toplist", kind(chart.Toplist, "Busiest services", top...)},
		{
			"toplist-crowded",
			with(kind(chart.Toplist, "", append(top, top...)...), func(c *chart.Chart) { c.Height = 200 }),
		},
		{"change", kind(chart.Change, "Since yesterday", changes...)},
		{"query-value", value},
		{"query-value-format", with(value, func(c *chart.Chart) {
			c.Width, c.Height, c.Title = 300, 185, ""
			c.Formats = []chart.Format{{Comparator: ">", Value: 100, Fill: &red, Text: &white}}
		})},
		{
			"heatmap",
			with(kind(chart.Heatmap, "Latency"), func(c *chart.Chart) {
				c.Buckets = heat()
				c.Layers[0].Series = []chart.Series{{Unit: "millisecond"}}
			}),
		},
		{
			"heatmap-dark",
			with(kind(chart.Heatmap, "Latency"), func(c *chart.Chart) { c.Buckets, c.Dark = heat(), true }),
		},
		{
			"distribution",
			with(kind(chart.Distribution, "Latency"), func(c *chart.Chart) {
				c.Buckets = spread()
				c.Layers[0].Series = []chart.Series{{Unit: "millisecond"}}
			}),
		},
	}
}

func heat() []chart.Bucket {
	var out []chart.Bucket
	for i := range 48 {
		middle := 80 + 40*math.Sin(float64(i)/8)
		for j := range 24 {
			lo := float64(j) * 10
			d := (lo - middle) / 30
			out = append(out, chart.Bucket{
				T: noon().Add(time.Duration(i) * 30 * time.Minute).UnixMilli(), Interval: 30 * time.Minute, Lo: lo,
				Hi: lo + 10, Count: math.Floor(200 * math.Exp(-d*d)),
			})
		}
	}
	return out
}

func spread() []chart.Bucket {
	var out []chart.Bucket
	for j := range 50 {
		x := float64(j) / 8
		out = append(out, chart.Bucket{
			Lo: float64(j) * 5, Hi: float64(j+1) * 5, Count: math.Round(4000 * x * math.Exp(-x)),
		})
	}
	return out
}
