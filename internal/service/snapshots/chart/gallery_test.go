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

// gallery is every kind of picture and what is special about it.
func gallery() []picture {
	out := []picture{
		{"line", hour("CPU by host", units("percent", lines(288, 1, 5)...)...)},
		{"many", hour("Forty hosts", lines(96, 0, 40)...)},
		{"area", with(hour("Below zero", shift(line(288, 2), -60)), func(c *chart.Chart) {
			c.Layers[0].Display = chart.Area
		})},
		{"stacked", with(hour("Stacked area, the last point unfinished", cut(lines(48, 0, 5))...), func(c *chart.Chart) {
			c.Layers[0].Display, c.Layers[0].Stacked, c.Layers[0].Palette = chart.Area, true, "cool"
		})},
		{"bars", with(hour("Bars, the last one unfinished", cut(lines(48, 0, 3))...), func(c *chart.Chart) {
			c.Layers[0].Display, c.Layers[0].Palette = chart.Bars, "warm"
			c.Markers = []chart.Marker{
				{From: num(150), To: num(150), Label: "limit 150", Severity: chart.Error, Dash: chart.Dashed},
				{From: num(40), To: num(80), Label: "expected", Severity: chart.OK},
			}
		})},
		{"unfinished", with(hour("Requests, the last point unfinished", cut(units("request/second", lines(48, 1, 3)...))...),
			func(c *chart.Chart) {})},
		{"styles", stylesChart()},
		{"gaps", gapsChart()},
		{"markers", markersChart()},
		{"anomalies", anomaliesChart()},
		{"outliers", outliersChart()},
		{"forecast", forecastChart()},
		{"right-axis", rightChart()},
		{"log", logChart()},
		{"sqrt", with(hour("Root scale", line(288, 2)), func(c *chart.Chart) {
			c.Axis.Kind, c.Axis.Exponent = axis.Sqrt, 0.5
		})},
		{"pow", with(hour("Third power", line(288, 2)), func(c *chart.Chart) {
			c.Axis.Kind, c.Axis.Exponent = axis.Pow, 3
		})},
		{"expanded", with(hour("With numbers", units("byte", lines(288, 1, 5)...)...), func(c *chart.Chart) {
			c.Legend = chart.LegendExpanded
		})},
		{"zone", with(hour("Größe 温度 🚀 مرحبا שלום", line(288, 3)), func(c *chart.Chart) {
			c.Zone = time.FixedZone("JST", 9*3600)
		})},
		{"no-data", hour("Nothing here")},
	}
	return append(out, otherKinds()...)
}

func units(u axis.Unit, list ...chart.Series) []chart.Series {
	for i := range list {
		list[i].Unit = u
	}
	return list
}

// cut makes the last point of each series one that may still grow.
func cut(list []chart.Series) []chart.Series {
	for i := range list {
		p := list[i].Points
		p[len(p)-1].V *= 0.25
		list[i].Unfinished = true
	}
	return list
}

// anomaliesChart has a band and two places outside of it.
func anomaliesChart() chart.Chart {
	s := line(144, 2)
	s.Band, s.Judged = &chart.Envelope{}, true
	for i, p := range s.Points {
		s.Band.Lower = append(s.Band.Lower, chart.Point{T: p.T, V: p.V - 9 - 3*math.Sin(float64(i)/9)})
		s.Band.Upper = append(s.Band.Upper, chart.Point{T: p.T, V: p.V + 9 + 3*math.Cos(float64(i)/7)})
	}
	for i := 50; i < 58; i++ {
		s.Points[i].V += 28
	}
	s.Points[110].V -= 25
	return hour("Anomalies", s)
}

// outliersChart has four hosts that are like each other and one that is not.
func outliersChart() chart.Chart {
	c := hour("An outlier among five hosts", shift(line(144, 5), 40))
	others := chart.Layer{Display: chart.Line, Gray: true}
	for k := range 4 {
		others.Series = append(others.Series, shift(line(144, k), -8*float64(k)))
	}
	c.Layers = append([]chart.Layer{others}, c.Layers...)
	return c
}

// forecastChart ends at two thirds of the day and goes on.
func forecastChart() chart.Chart {
	s := line(144, 2)
	s.Band = &chart.Envelope{}
	for i, p := range s.Points[95:] {
		v := s.Points[95].V + float64(i)*0.6
		s.Expected = append(s.Expected, chart.Point{T: p.T, V: v})
		s.Band.Lower = append(s.Band.Lower, chart.Point{T: p.T, V: v - 2 - 0.25*float64(i)})
		s.Band.Upper = append(s.Band.Upper, chart.Point{T: p.T, V: v + 2 + 0.25*float64(i)})
	}
	s.Points = s.Points[:96]
	return hour("Forecast", s)
}

// rightChart has requests at the left and a share at the right.
func rightChart() chart.Chart {
	requests, cpu := line(288, 3), line(288, 1)
	requests.Name, requests.Unit, cpu.Name, cpu.Unit = "requests", "request/second", "cpu", "percent"
	for i := range requests.Points {
		requests.Points[i].V *= 130
	}
	c := hour("Two axes", requests)
	c.Axis.Label, c.Right.Label = "requests", "cpu"
	c.Right.Min, c.Right.Max = num(0), num(100)
	c.Layers = append(c.Layers, chart.Layer{Display: chart.Line, Right: true, Series: []chart.Series{cpu}})
	return c
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
	white := draw.RGB(0xffffff)
	format := func(above float64, fill, text uint32) chart.Format {
		f, t := draw.RGB(fill), draw.RGB(text)
		return chart.Format{Comparator: ">", Value: above, Fill: &f, Text: &t}
	}
	kind := func(k chart.Kind, title string, s ...chart.Series) chart.Chart {
		return with(hour(title, s...), func(c *chart.Chart) { c.Kind = k })
	}
	value := kind(chart.QueryValue, "Requests", chart.Series{Value: 12345.678, Unit: "request/second"})
	return []picture{
		{"toplist", kind(chart.Toplist, "Busiest services", top...)},
		{"toplist-formats", with(kind(chart.Toplist, "White on colours, colours on white", top...), func(c *chart.Chart) {
			c.Formats = []chart.Format{
				format(900, 0xc53a3a, 0xffffff), format(600, 0x96660a, 0xffffff), format(400, 0x1f7d45, 0xffffff),
				format(300, 0xffffff, 0xc53a3a), format(200, 0xf1d9a0, 0x1c2733), format(150, 0xffff00, 0xffffff),
				{Comparator: ">", Value: 100, Text: &white},
			}
		})},
		{"change", kind(chart.Change, "Since yesterday", changes...)},
		{"query-value", value},
		{"query-value-format", with(value, func(c *chart.Chart) {
			c.Formats = []chart.Format{format(100, 0xc53a3a, 0xffffff)}
		})},
		{"heatmap", with(kind(chart.Heatmap, "Latency"), func(c *chart.Chart) {
			c.Buckets = heat()
			c.Layers[0].Series = []chart.Series{{Unit: "millisecond"}}
		})},
		{"distribution", with(kind(chart.Distribution, "Latency"), func(c *chart.Chart) {
			c.Buckets = spread()
			c.Layers[0].Series = []chart.Series{{Unit: "millisecond"}}
		})},
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
