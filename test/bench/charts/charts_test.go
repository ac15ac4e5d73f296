package charts

import (
	"bytes"
	"math"
	"testing"
	"time"

	gochart "github.com/wcharczuk/go-chart/v2"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"stoa.dev/stoa/internal/platform/draw"
	"stoa.dev/stoa/internal/service/snapshots/chart"
)

// points is a day of minutes.
func points() (times []time.Time, values []float64) {
	from := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	for i := range 1440 {
		x := float64(i) / 1440
		times = append(times, from.Add(time.Duration(i)*time.Minute))
		values = append(values, 50+30*math.Sin(x*12)+8*math.Sin(x*700))
	}
	return times, values
}

func BenchmarkStoa(b *testing.B) {
	studio, err := draw.NewStudio()
	if err != nil {
		b.Fatal(err)
	}
	painter := chart.NewPainter(studio)
	times, values := points()
	s := chart.Series{Name: "load", Interval: time.Minute}
	for i := range times {
		s.Points = append(s.Points, chart.Point{T: times[i].UnixMilli(), V: values[i]})
	}
	c := chart.Chart{
		Kind: chart.Timeseries, Title: "Load", Width: 800, Height: 400, From: times[0], To: times[0].Add(24 * time.Hour),
		Layers: []chart.Layer{{Display: chart.Line, Series: []chart.Series{s}}},
	}
	for b.Loop() {
		if _, err := painter.PNG(c); err != nil {
			b.Fatal(err)
		}
	}
	rate(b)
}

func BenchmarkGoChart(b *testing.B) {
	times, values := points()
	for b.Loop() {
		c := gochart.Chart{
			Title: "Load", Width: 800, Height: 400,
			Series: []gochart.Series{gochart.TimeSeries{Name: "load", XValues: times, YValues: values}},
		}
		var out bytes.Buffer
		if err := c.Render(gochart.PNG, &out); err != nil {
			b.Fatal(err)
		}
	}
	rate(b)
}

func BenchmarkGonumPlot(b *testing.B) {
	times, values := points()
	xy := make(plotter.XYs, len(times))
	for i := range times {
		xy[i] = plotter.XY{X: float64(times[i].Unix()), Y: values[i]}
	}
	for b.Loop() {
		p := plot.New()
		p.Title.Text = "Load"
		p.X.Tick.Marker = plot.TimeTicks{Format: "15:04"}
		line, err := plotter.NewLine(xy)
		if err != nil {
			b.Fatal(err)
		}
		p.Add(plotter.NewGrid(), line)
		// 96 dots per inch: 800 by 400 pixels.
		w, err := p.WriterTo(800*vg.Inch/96, 400*vg.Inch/96, "png")
		if err != nil {
			b.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := w.WriteTo(&out); err != nil {
			b.Fatal(err)
		}
	}
	rate(b)
}

func rate(b *testing.B) { b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pictures/s") }
