package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"stoa.dev/stoa/test/program"
)

const (
	metricKeys = "api_key={STOA_API_KEY}&application_key={STOA_APP_KEY}"
	// pointSeries are the series that points are spread over.
	pointSeries = 100
	// pointStep is between two points of a series.
	pointStep = time.Minute
)

func metricKinds() []kind {
	submit := call{name: "submit a point", method: "POST", path: "/api/v1/series?" + metricKeys,
		body: `{"series":[{"metric":"grown.new","type":"gauge","host":"one","points":[[{now},1]]}]}`}
	return []kind{
		{
			name: "metric points of 100 series",
			load: func(ctx context.Context, w *world, first, last int64) error {
				return w.loadPoints(ctx, first, last, func(n int64) (series int64, after time.Duration) {
					return n % pointSeries, time.Duration(n/pointSeries) * pointStep
				})
			},
			calls: []call{submit, {name: "query an hour of one series", method: "GET", path: query("grown.load{host:h7}")},
				{name: "query an hour of all, averaged", method: "GET", path: query("grown.load{*}")}},
		},
		{
			// The engine reads the list of all series of a metric for each point of the past: ten million take
			// hours to load.
			name: "metric series", most: 1_000_000,
			load: func(ctx context.Context, w *world, first, last int64) error {
				return w.loadPoints(ctx, first, last, func(n int64) (series int64, after time.Duration) {
					return n, 0
				})
			},
			calls: []call{submit, {name: "query an hour of one series", method: "GET", path: query("grown.load{host:h7}")}},
		},
	}
}

// query asks for the first hour of what was loaded.
func query(text string) string {
	return "/api/v1/query?from={GROWN_FROM}&to={GROWN_TO}&query=avg:" + escaped(text) + "&" + metricKeys
}

// escaped is a query in an address; the words in braces that measure fills in are not
// part of it.
func escaped(text string) string {
	var out []byte
	for _, c := range []byte(text) {
		switch c {
		case '{', '}', '*':
			out = fmt.Appendf(out, "%%%02X", c)
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// oldestPoint is when the first points were: ten million of them reach nearly to the time
// the world was made, and none is older than points are kept.
func (w *world) oldestPoint() time.Time { return w.began.AddDate(0, 0, -80).Truncate(time.Hour) }

// loadPoints lets the program load a file of points, each in a series and so long after
// the first.
func (w *world) loadPoints(
	ctx context.Context, first, last int64, place func(n int64) (series int64, after time.Duration),
) error {
	file := w.data + "-points.csv"
	defer os.Remove(file) // it is in the store now
	if err := writePoints(file, w.oldestPoint(), first, last, place); err != nil {
		return err
	}
	env, err := program.DemoEnv(w.data)
	if err != nil {
		return err
	}
	args := []string{"snapshots", "import", file, "--user", env["STOA_USER"], "--data", w.data}
	command := exec.CommandContext(ctx, w.binary, args...)
	command.Env = append(program.Environ(), raisedLimits()...)
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("stoa snapshots import: %w\n%.2000s", err, out)
	}
	return nil
}

func writePoints(
	file string, oldest time.Time, first, last int64, place func(n int64) (series int64, after time.Duration),
) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	out := bufio.NewWriter(f)
	fmt.Fprintln(out, "metric,timestamp,value,host")
	for n := first; n <= last; n++ {
		series, after := place(n)
		fmt.Fprintf(out, "grown.load,%d,%d,h%d\n", oldest.Add(after).Unix(), n%97, series)
	}
	return out.Flush()
}
