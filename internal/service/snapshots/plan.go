package snapshots

import (
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // zones are known also where the system has none

	"stoa.dev/stoa/internal/platform/draw/axis"
	"stoa.dev/stoa/internal/service/snapshots/chart"
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
	layer      chart.Layer
	queries    []planned
	aggregator string
	orderBy    string
	ascending  bool
	relative   bool
	aliases    map[string]string
}

// planned is one query: in our language, or in PromQL after a prefix.
type planned struct {
	text  string
	prom  string
	q     *query.Query
	alias string
}

// promPrefix marks queries of the other language.
const promPrefix = "promql:"

// makePlan understands a request. Every refusal is an *Error.
func makePlan(r GraphRequest) (*plan, error) {
	// A plain query stands for a definition with one request.
	d := definition{Requests: []requestDefinition{{Q: r.MetricQuery}}}
	if r.GraphDef != "" {
		var err error
		if d, err = parseDefinition(r.GraphDef); err != nil {
			return nil, err
		}
	}
	p := &plan{}
	if err := p.look(r, d); err != nil {
		return nil, err
	}
	if err := parseAxis("yaxis", d.YAxis, &p.chart.Axis); err != nil {
		return nil, err
	}
	if err := parseAxis("right_yaxis", d.RightAxis, &p.chart.Right); err != nil {
		return nil, err
	}
	left := planBudget{queries: maxQueries, bytes: maxPlanText}
	for i := range d.Requests {
		if err := p.request(&left, fmt.Sprintf("requests[%d]", i), &d.Requests[i], r.MetricQuery != ""); err != nil {
			return nil, err
		}
	}
	for _, m := range d.Markers {
		marker, err := parseMarker(m)
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
func (p *plan) look(r GraphRequest, d definition) error {
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
		return errInvalid(
			"graph_def: viz %q is none of timeseries, toplist, query_value, heatmap, distribution and change", kind,
		)
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
	if show := d.ShowLegend.boolean(); c.Legend == chart.LegendAuto && show != nil && !*show {
		c.Legend = chart.LegendNone
	}
	c.Precision = -1
	if n, err := d.Precision.number("precision"); err != nil {
		return err
	} else if n != nil && *n >= 0 && *n <= 9 {
		c.Precision = int(*n)
	}
	if scale := d.Autoscale.boolean(); scale != nil && !*scale {
		zero := true
		c.Axis.IncludeZero = &zero
	}
	return nil
}

// request reads one entry of requests.
func (p *plan) request(left *planBudget, where string, r *requestDefinition, plain bool) error {
	l := planLayer{
		aggregator: r.Aggregator, orderBy: r.OrderBy, ascending: r.OrderDirection == "asc",
		relative: r.ChangeType == "relative", aliases: map[string]string{},
	}
	if plain {
		where = "metric_query"
	}
	var err error
	if l.queries, err = parseQueries(left, where, r); err != nil {
		return err
	}
	if l.aggregator == "" && len(r.Queries) > 0 {
		l.aggregator = r.Queries[0].Aggregator
	}
	for _, m := range r.Metadata {
		l.aliases[m.Expression] = m.Alias
	}
	if err := l.style(where, r); err != nil {
		return err
	}
	for _, f := range r.Formats {
		format, err := parseFormat(f)
		if err != nil {
			return err
		}
		p.chart.Formats = append(p.chart.Formats, format)
	}
	if p.chart.Kind == chart.Change {
		if p.compare, err = compareTo(r.CompareTo); err != nil {
			return err
		}
		p.chart.IncreaseGood = r.IncreaseGood.isTrue()
	}
	p.layers = append(p.layers, l)
	return nil
}

// parseQueries reads q, or formulas over named queries.
func parseQueries(left *planBudget, where string, r *requestDefinition) ([]planned, error) {
	if r.Q != "" {
		one, err := left.parse(where, r.Q)
		return []planned{one}, err
	}
	if len(r.Queries) == 0 {
		return nil, errInvalid("%s: a request needs q, or queries and formulas", where)
	}
	names := map[string]string{}
	for _, q := range r.Queries {
		if q.DataSource != "" && q.DataSource != "metrics" {
			return nil, errInvalid("%s: the data source %q is not metrics", where, q.DataSource)
		}
		names[q.Name] = q.Query
	}
	var out []planned
	if len(r.Formulas) == 0 {
		for _, q := range r.Queries {
			one, err := left.parse(where, q.Query)
			if err != nil {
				return nil, err
			}
			out = append(out, one)
		}
	}
	for _, f := range r.Formulas {
		text, err := substitute(where, f.Formula, names)
		if err != nil {
			return nil, err
		}
		one, err := left.parse(where, text)
		if err != nil {
			return nil, err
		}
		one.alias = f.Alias
		out = append(out, one)
	}
	return out, nil
}

// planBudget is what the queries of a definition may still become.
type planBudget struct{ queries, bytes int }

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

// substitute writes the queries of a formula in place of their names. It stops
// where the result is longer than a query may be.
func substitute(where, formula string, names map[string]string) (string, error) {
	var out strings.Builder
	for i := 0; i < len(formula); {
		if out.Len() > query.MaxLength {
			return "", errInvalid("%s: a formula is longer than %d bytes when its queries are written out", where,
				query.MaxLength)
		}
		j := i
		for j < len(formula) && isNameByte(formula[j]) {
			j++
		}
		if j == i {
			out.WriteByte(formula[i])
			i++
			continue
		}
		word := formula[i:j]
		if q, ok := names[word]; ok && word != "" {
			out.WriteString("(" + q + ")")
		} else {
			out.WriteString(word)
		}
		i = j
	}
	return out.String(), nil
}

func isNameByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '.'
}

// compareTo is how far back a change looks.
func compareTo(s string) (int64, error) {
	switch s {
	case "hour_before", "":
		return 3600, nil
	case "day_before":
		return 86400, nil
	case "week_before":
		return 7 * 86400, nil
	case "month_before":
		return 28 * 86400, nil
	default:
		return 0, errInvalid(
			"graph_def: compare_to %q is none of hour_before, day_before, week_before and month_before", s,
		)
	}
}

// parseAxis reads a value axis.
func parseAxis(name string, d axisDefinition, a *chart.Axis) (err error) {
	if a.Min, err = d.Min.number(name + ".min"); err != nil {
		return err
	}
	if a.Max, err = d.Max.number(name + ".max"); err != nil {
		return err
	}
	if a.Kind, a.Exponent, err = axis.ParseKind(d.Scale); err != nil {
		return errInvalid("graph_def: %s.%s", name, err)
	}
	if a.Min != nil && a.Max != nil && *a.Min >= *a.Max {
		return errInvalid("graph_def: %s.min must be below %s.max", name, name)
	}
	a.Label = d.Label
	if zero := d.IncludeZero.boolean(); zero != nil {
		a.IncludeZero = zero
	}
	a.Trim, err = parseTrim(d.Filter)
	return err
}
