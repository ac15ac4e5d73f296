package snapshots

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/draw/axis"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/snapshots/chart"
	"stoa.dev/stoa/internal/service/snapshots/events"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// maxBands bounds how many events are drawn.
const maxBands = 500

// picture draws a plan with the points that are stored now.
func (s *Service) picture(ctx context.Context, t Tenant, p *plan) ([]byte, error) {
	e, err := s.evaluate(ctx, t)
	if err != nil {
		return nil, err
	}
	defer e.release()
	c := p.chart
	switch c.Kind {
	case chart.Heatmap, chart.Distribution:
		err = s.distribution(ctx, t, e, p, &c)
	case chart.Change:
		err = s.changes(ctx, t, e, p, &c)
	default:
		err = s.layers(ctx, t, e, p, &c)
	}
	if err != nil {
		return nil, err
	}
	if c.Kind == chart.Timeseries {
		if c.Bands, err = s.bands(ctx, t, p); err != nil {
			return nil, err
		}
	}
	if err := e.reserve(c.Bytes()); err != nil {
		return nil, err
	}
	painter, err := s.painter()
	if err != nil {
		return nil, err
	}
	return painter.PNG(c)
}

// layers evaluates all requests into layers of series.
func (s *Service) layers(ctx context.Context, t Tenant, e *evaluation, p *plan, c *chart.Chart) error {
	var size pictureSize
	for i := range p.layers {
		pl := &p.layers[i]
		l := pl.layer
		// What is like the others is gray, so that what was looked for stands out.
		normal := l
		normal.Palette, normal.Gray = "gray", true
		for _, q := range pl.queries {
			list, err := s.runQuery(ctx, t, e, q, p.when(pl))
			if err == nil {
				err = size.add(list)
			}
			if err != nil {
				return err
			}
			for _, sr := range list {
				one := toSeries(sr, q, pl)
				one.Unfinished = s.unfinished(sr)
				switch sr.Mark {
				case query.MarkUpper, query.MarkLower, query.MarkForecast:
					attach(l.Series, sr.Mark, one.Points)
				case query.MarkNormal:
					normal.Series = append(normal.Series, one)
				default:
					l.Series = append(l.Series, one)
				}
			}
		}
		if c.Kind == chart.Toplist && !pl.ranked() {
			slices.SortStableFunc(l.Series, func(a, b chart.Series) int { return compareValues(b.Value, a.Value) })
		}
		if len(normal.Series) > 0 {
			c.Layers = append(c.Layers, normal)
		}
		c.Layers = append(c.Layers, l)
	}
	return nil
}

// attach adds an edge of a band, or a forecast, to the series before it.
func attach(list []chart.Series, mark string, points []chart.Point) {
	if len(list) == 0 {
		return
	}
	of := &list[len(list)-1]
	if mark == query.MarkForecast {
		of.Expected = points
		return
	}
	if of.Band == nil {
		of.Band = &chart.Envelope{}
	}
	// Around a forecast nothing has happened that could be judged.
	if of.Judged = of.Expected == nil; mark == query.MarkLower {
		of.Band.Lower = points
	} else {
		of.Band.Upper = points
	}
}

// unfinished reports whether the last value of a series is a sum that may still
// grow.
func (s *Service) unfinished(sr query.Series) bool {
	if !sr.Sums {
		return false
	}
	for i := len(sr.Values) - 1; i >= 0; i-- {
		if !math.IsNaN(sr.Values[i]) {
			return sr.Start+int64(i+1)*sr.Step > s.world.Clock.Now().UnixMilli()
		}
	}
	return false
}

// ranked tells that the query itself chose the order.
func (l *planLayer) ranked() bool {
	if len(l.queries) != 1 || l.queries[0].q == nil || len(l.queries[0].q.Exprs) != 1 {
		return false
	}
	call, ok := l.queries[0].q.Exprs[0].(*query.Call)
	return ok && (strings.HasPrefix(call.Name, "top") || strings.HasPrefix(call.Name, "bottom"))
}

// compareValues orders numbers. NaN is below them all, so last in descending use.
func compareValues(a, b float64) int { return cmp.Compare(a, b) }

// toSeries turns a result into what the chart draws.
func toSeries(sr query.Series, q planned, l *planLayer) chart.Series {
	out := chart.Series{
		Name: seriesName(sr, q, l), Unit: axis.Unit(sr.Unit), Interval: time.Duration(sr.Step) * time.Millisecond,
		Value: query.Reduce(sr.Values, q.aggregator),
	}
	for i, v := range sr.Values {
		if !math.IsNaN(v) {
			out.Points = append(out.Points, chart.Point{T: sr.Start + int64(i)*sr.Step, V: v})
		}
	}
	return out
}

// seriesName prefers an alias, then the tags of the group, then the text.
func seriesName(sr query.Series, q planned, l *planLayer) string {
	name := plainName(sr, q, l)
	if len(name) > maxDrawnName {
		name = strings.ToValidUTF8(name[:maxDrawnName], "")
	}
	return name
}

// Bounds of one picture; more than this is not seen on it.
const (
	maxDrawnName   = 300 // bytes
	maxDrawnSeries = 5_000
	maxDrawnPoints = 3_000_000
)

// pictureSize is what a picture shows so far.
type pictureSize struct{ series, points int }

// add counts what a query adds to the picture.
func (p *pictureSize) add(list []query.Series) error {
	p.series += len(list)
	for i := range list {
		p.points += len(list[i].Values)
	}
	if p.series > maxDrawnSeries || p.points > maxDrawnPoints {
		return errInvalid("the graph has more than %d series or %d points; ask for fewer", maxDrawnSeries,
			maxDrawnPoints)
	}
	return nil
}

func plainName(sr query.Series, q planned, l *planLayer) string {
	switch {
	case q.alias != "":
		return q.alias
	case l.aliases[q.text] != "":
		return l.aliases[q.text]
	case len(sr.Tags) > 0:
		return strings.Join(sr.Tags, ", ")
	case q.shown != "" && sr.Expression == query.Clip(q.text):
		return q.shown
	case sr.Expression != "":
		return sr.Expression
	default:
		return q.text
	}
}

// changes evaluates every request now and in the past.
func (s *Service) changes(ctx context.Context, t Tenant, e *evaluation, p *plan, c *chart.Chart) error {
	var size pictureSize
	for i := range p.layers {
		pl := &p.layers[i]
		l := pl.layer
		past := map[string]float64{}
		r := p.when(pl)
		back := r
		back.From, back.To = r.From-p.compare, r.To-p.compare
		for _, q := range pl.queries {
			before, err := s.runQuery(ctx, t, e, q, back)
			if err != nil {
				return err
			}
			now, err := s.runQuery(ctx, t, e, q, r)
			if err == nil {
				err = size.add(now)
			}
			if err != nil {
				return err
			}
			for _, sr := range before {
				past[seriesName(sr, q, pl)] = query.Reduce(sr.Values, q.aggregator)
			}
			for _, sr := range now {
				one := toSeries(sr, q, pl)
				var ok bool
				if one.Before, ok = past[one.Name]; !ok {
					one.Before = math.NaN()
				}
				l.Series = append(l.Series, one)
			}
		}
		pl.sortChanges(l.Series)
		c.Layers = append(c.Layers, l)
	}
	return nil
}

func (l *planLayer) sortChanges(list []chart.Series) {
	key := func(s chart.Series) float64 {
		switch {
		case l.orderBy == "present":
			return s.Value
		case l.orderBy == "past":
			return s.Before
		case l.relative && s.Before != 0:
			return (s.Value - s.Before) / math.Abs(s.Before)
		default:
			return s.Value - s.Before
		}
	}
	slices.SortStableFunc(list, func(a, b chart.Series) int {
		n := compareValues(key(a), key(b))
		if l.orderBy == "name" {
			n = -strings.Compare(a.Name, b.Name)
		}
		if !l.ascending {
			n = -n
		}
		return n
	})
}

// bands are the events that the plan asks for.
func (s *Service) bands(ctx context.Context, t Tenant, p *plan) ([]chart.Band, error) {
	if len(p.events) == 0 {
		return nil, nil
	}
	var searches []events.Search
	for _, text := range p.events {
		searches = append(searches, events.ParseSearch(text))
	}
	found := make([][]chart.Band, len(searches))
	err := s.events.Each(ctx, t.Org, p.chart.From.Unix(), p.chart.To.Unix(), 5000, func(e events.Event) bool {
		more := false
		for i, match := range searches {
			if len(found[i]) < maxBands && match.Accepts(e) {
				at := time.Unix(e.Happened, 0)
				found[i] = append(found[i], chart.Band{
					From: at, To: at, Label: e.Title, Severity: severity(e.AlertType),
				})
			}
			more = more || len(found[i]) < maxBands
		}
		return more
	})
	out := slices.Concat(found...)
	return out[:min(len(out), maxBands)], err
}

// severity is the colour of an event's band; plain events have the theme's.
func severity(alertType string) chart.Severity {
	switch alertType {
	case "error":
		return chart.Error
	case "warning":
		return chart.Warning
	case "success":
		return chart.OK
	default:
		return ""
	}
}

// refusalText reports whether a failure lies in what was asked for and so will not
// go away.
func refusalText(err error) (string, bool) {
	var bad *query.Error
	var own *Error
	var large *chart.SizeError
	switch {
	case errors.As(err, &large):
		return large.Reason, true
	case errors.Is(err, wire.ErrTooLarge):
		return "it needs more memory than one picture may use; ask for fewer series", true
	case errors.As(err, &bad):
		return bad.Error(), true
	case errors.As(err, &own):
		return own.Message, true
	default:
		return "", false
	}
}
