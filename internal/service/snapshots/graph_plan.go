package snapshots

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // zones are known also where the system has none

	"stoa.dev/stoa/internal/service/snapshots/chart"
	"stoa.dev/stoa/internal/service/snapshots/definition"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// plan is a graph request, understood: what is read and how it is drawn. It is
// made twice, once to refuse bad requests at once and once to draw.
type plan struct {
	chart   chart.Chart
	layers  []planLayer
	events  []string
	compare int64 // seconds back, of a change
}

// planLayer is one request of the definition.
type planLayer struct {
	layer     chart.Layer
	queries   []planned
	orderBy   string
	ascending bool
	relative  bool
	aliases   map[string]string
}

// planned is one query: in our language, or in PromQL after a prefix.
type planned struct {
	text  string
	shown string // the text without what was added to it
	prom  string
	q     *query.Query
	alias string
	// aggregator is how the whole range becomes one number.
	aggregator string
}

// promPrefix marks queries of the other language.
const promPrefix = "promql:"

// makePlan understands a request. Every refusal is an *Error.
func makePlan(r GraphRequest) (*plan, error) {
	p, err := readPlan(r)
	return p, errDefinition(err)
}

func readPlan(r GraphRequest) (*plan, error) {
	// A plain query stands for a definition with one request.
	d := definition.Graph{Requests: []definition.Request{{Q: r.MetricQuery}}}
	if r.GraphDef != "" {
		var err error
		if d, err = definition.Parse(r.GraphDef); err != nil {
			return nil, err
		}
	}
	p := &plan{}
	if err := p.look(r, d); err != nil {
		return nil, err
	}
	if err := d.YAxis.Read("yaxis", &p.chart.Axis); err != nil {
		return nil, err
	}
	if err := d.RightAxis.Read("right_yaxis", &p.chart.Right); err != nil {
		return nil, err
	}
	left := newPlanBudget()
	for i := range d.Requests {
		if err := p.request(&left, fmt.Sprintf("requests[%d]", i), &d.Requests[i], r.MetricQuery != ""); err != nil {
			return nil, err
		}
	}
	for _, m := range d.Markers {
		marker, err := m.Read()
		if err != nil {
			return nil, err
		}
		p.chart.Markers = append(p.chart.Markers, marker)
	}
	for _, e := range d.Events {
		p.events = append(p.events, e.Q)
	}
	if r.EventQuery != "" {
		p.events = append(p.events, r.EventQuery)
	}
	return p, nil
}

// plan understands a request and holds its queries in PromQL against the rules
// of the engine, so that what is stored can be drawn.
func (s *Service) plan(r GraphRequest) (*plan, error) {
	p, err := makePlan(r)
	if err != nil {
		return nil, err
	}
	for i := range p.layers {
		for _, q := range p.layers[i].queries {
			if q.prom == "" {
				continue
			}
			if err := s.backend.CheckPromQL(q.prom, p.when(&p.layers[i])); err != nil {
				return nil, errCause(promPrefix[:len(promPrefix)-1], err)
			}
		}
	}
	return p, nil
}

// when is the range of a layer's queries.
func (p *plan) when(l *planLayer) query.Range {
	r := query.Range{From: p.chart.From.Unix(), To: p.chart.To.Unix()}
	switch p.chart.Kind {
	case chart.Heatmap, chart.Distribution:
		r.Interval = max(query.Interval(r.To-r.From, false), (r.To-r.From)/heatColumns)
	case chart.Change:
	default:
		r.Bars = l.layer.Display == chart.Bars
	}
	return r
}

// look reads everything that concerns the picture as a whole.
func (p *plan) look(r GraphRequest, d definition.Graph) error {
	kind := d.Viz
	if kind == "" {
		kind = d.Type
	}
	switch k := chart.Kind(kind); k {
	case "", chart.Timeseries:
		p.chart.Kind = chart.Timeseries
	case chart.Toplist, chart.QueryValue, chart.Heatmap, chart.Distribution, chart.Change:
		p.chart.Kind = k
	default:
		return definition.UnknownKind(kind)
	}
	zone := time.UTC
	if r.Zone != "" {
		var err error
		if zone, err = time.LoadLocation(r.Zone); err != nil || strings.EqualFold(r.Zone, "local") {
			return errInvalid("tz: %q is not the name of a time zone such as Europe/Berlin", r.Zone)
		}
	}
	c := &p.chart
	c.Title, c.Width, c.Height, c.Scale = r.Title, r.Width, r.Height, r.Scale
	c.From, c.To, c.Zone, c.Dark = time.Unix(r.Start, 0).UTC(), time.Unix(r.End, 0).UTC(), zone, r.Theme == "dark"
	c.Legend = chart.Legend(r.Legend)
	if show := d.ShowLegend.Boolean(); c.Legend == chart.LegendAuto && show != nil && !*show {
		c.Legend = chart.LegendNone
	}
	c.Precision = -1
	if n, err := d.Precision.Number("precision"); err != nil {
		return err
	} else if n != nil && *n >= 0 && *n <= 9 {
		c.Precision = int(*n)
	}
	if scale := d.Autoscale.Boolean(); scale != nil && !*scale {
		zero := true
		c.Axis.IncludeZero = &zero
	}
	return nil
}

// request reads one entry of requests.
func (p *plan) request(left *planBudget, where string, r *definition.Request, plain bool) error {
	l := planLayer{
		orderBy: r.OrderBy, ascending: r.OrderDirection == "asc", relative: r.ChangeType == "relative",
		aliases: map[string]string{},
	}
	if plain {
		where = "metric_query"
	}
	var err error
	if l.queries, err = parseQueries(left, where, r, p.chart.Kind.OneNumber()); err != nil {
		return err
	}
	for _, m := range r.Metadata {
		l.aliases[m.Expression] = m.Alias
	}
	if l.layer, err = r.Layer(where, l.several()); err != nil {
		return err
	}
	for _, f := range r.Formats {
		format, err := f.Read()
		if err != nil {
			return err
		}
		p.chart.Formats = append(p.chart.Formats, format)
	}
	if p.chart.Kind == chart.Change {
		if p.compare, err = r.Compare(); err != nil {
			return err
		}
		p.chart.IncreaseGood = r.IncreaseGood.IsTrue()
	}
	p.layers = append(p.layers, l)
	return nil
}

// parseQueries reads q, or formulas over named queries. A formula for one number
// of the whole range is computed of such numbers of its queries: a share of sums
// is not the mean of shares.
func parseQueries(left *planBudget, where string, r *definition.Request, oneNumber bool) ([]planned, error) {
	if err := knownAggregator(where, r.Aggregator); err != nil {
		return nil, err
	}
	if r.Q != "" {
		one, err := left.parse(where, r.Q)
		one.aggregator = cmp.Or(r.Aggregator, "avg")
		return []planned{one}, err
	}
	if len(r.Queries) == 0 {
		return nil, errInvalid("%s: a request needs q, or queries and formulas", where)
	}
	var out []planned
	names, plain := map[string]string{}, map[string]string{}
	for _, q := range r.Queries {
		if q.DataSource != "" && q.DataSource != "metrics" {
			return nil, errInvalid("%s: the data source %q is not metrics", where, q.DataSource)
		}
		if err := knownAggregator(where, q.Aggregator); err != nil {
			return nil, err
		}
		by := cmp.Or(r.Aggregator, q.Aggregator, "avg")
		names[q.Name], plain[q.Name] = q.Query, q.Query
		if oneNumber {
			names[q.Name] = "over_range(" + q.Query + ", '" + by + "')"
		}
		if len(r.Formulas) > 0 {
			continue
		}
		one, err := left.parse(where, q.Query)
		if err != nil {
			return nil, err
		}
		one.aggregator = by
		out = append(out, one)
	}
	for _, f := range r.Formulas {
		text, err := definition.Substitute(where, f.Formula, names)
		if err != nil {
			return nil, err
		}
		one, err := left.parse(where, text)
		if err != nil {
			return nil, err
		}
		one.alias, one.aggregator = f.Alias, "avg"
		if oneNumber {
			// All values are equal; a mean of them would round.
			one.aggregator = "last"
			if one.shown, err = definition.Substitute(where, f.Formula, plain); err != nil {
				return nil, err
			}
		}
		out = append(out, one)
	}
	return out, nil
}

func knownAggregator(where, name string) error {
	if name != "" && !query.Reduces(name) {
		return errInvalid("%s: the aggregator %q is none of avg, min, max, sum, last, l2norm and area", where, clipped(name))
	}
	return nil
}

// several reports whether one request asks for several queries at once.
func (l *planLayer) several() bool {
	return len(l.queries) == 1 && l.queries[0].q != nil && len(l.queries[0].q.Exprs) > 1
}

// Bounds of all queries of a definition.
const (
	maxQueries  = 100 // expressions
	maxPlanText = 128 << 10
)

// planBudget is what the queries of a definition may still become.
type planBudget struct{ queries, bytes int }

func newPlanBudget() planBudget { return planBudget{queries: maxQueries, bytes: maxPlanText} }

// parse reads one more query of a definition.
func (b *planBudget) parse(where, text string) (planned, error) {
	p, err := parseOne(where, text)
	if err != nil {
		return p, err
	}
	n := 1
	if p.q != nil {
		n = len(p.q.Exprs)
	}
	if b.queries -= n; b.queries < 0 {
		return p, errInvalid("graph_def: at most %d queries and formulas in all", maxQueries)
	}
	if b.bytes -= len(text); b.bytes < 0 {
		return p, errInvalid("graph_def: the queries are longer than %d bytes in all, names of formulas replaced",
			maxPlanText)
	}
	return p, nil
}

func parseOne(where, text string) (planned, error) {
	p := planned{text: text}
	if prom, ok := strings.CutPrefix(strings.TrimSpace(text), promPrefix); ok {
		p.prom = strings.TrimSpace(prom)
		if p.prom == "" {
			return p, errInvalid("%s: nothing follows %s", where, promPrefix)
		}
		return p, nil
	}
	q, err := query.Parse(text)
	if err != nil {
		return p, errCause(where, err)
	}
	p.q = q
	return p, nil
}
