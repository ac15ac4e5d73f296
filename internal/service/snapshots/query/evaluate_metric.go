package query

import (
	"math"
	"slices"
	"strings"
)

// group collects the series that share the tags of by.
type group struct {
	tags     []string
	sum      []float64
	count    []float64
	lo, hi   []float64
	sketches []*Sketch
}

// gather is the evaluation of one metric node.
type gather struct {
	v       *run
	m       *Metric
	grid    grid
	roller  *roller
	convert conversion
	spacing int64 // of the values of distributions
	groups  map[string]*group
	read    int
	// first is held back until it is known whether it is the only series:
	// a single source is never interpolated.
	first      []float64
	firstGroup *group
}

func (v *run) metric(m *Metric) ([]Series, error) {
	g, meta, err := v.gather(m)
	if err != nil {
		return nil, err
	}
	return g.result(meta), nil
}

// gather reads and groups the series of a metric.
func (v *run) gather(m *Metric) (*gather, Meta, error) {
	meta, err := v.Source.Meta(v.ctx, m.Name)
	if err != nil {
		return nil, meta, err
	}
	seconds := v.r.Interval
	if m.Rollup.Seconds > 0 {
		seconds = m.Rollup.Seconds
	}
	g := &gather{v: v, m: m, groups: map[string]*group{}}
	g.grid = newGrid(v.r.From, v.r.To, seconds, v.shift, v.Limits.Points)
	g.roller = newRoller(g.grid, g.method(meta))
	g.convert = g.conversion(meta)
	from := g.grid.start + g.grid.shift
	to := from + int64(g.grid.n)*g.grid.step
	sel := Selection{Metric: m.Name, Scope: m.Scope, From: from, To: to, Reserve: v.Reserve}
	if err := v.Source.Select(v.ctx, sel, g.series); err != nil {
		return nil, meta, err
	}
	g.release(g.read > 1)
	return g, meta, nil
}

// method is the time aggregation: what was asked for, a sum for counts and for
// as_count and as_rate, an average otherwise.
func (g *gather) method(meta Meta) string {
	switch {
	case g.m.Rollup.Method != "":
		return g.m.Rollup.Method
	case g.m.Mode != Plain || meta.Type == Count:
		return "sum"
	default:
		return "avg"
	}
}

// conversion is what the mode makes of values: those of a rate are per second,
// those of a count per interval.
func (g *gather) conversion(meta Meta) conversion {
	c := conversion{factor: 1, perSecond: g.m.Mode == AsRate, interval: meta.Interval * 1000}
	if meta.Type == Rate && g.m.Mode != Plain {
		c.interval = max(meta.Interval, 1) * 1000
		c.factor = float64(c.interval) / 1000
	}
	return c
}

// series takes in one stored series.
func (g *gather) series(t Tags, s Samples) error {
	if err := g.v.ctx.Err(); err != nil {
		return err
	}
	if g.read++; g.read > g.v.Limits.Series {
		return g.v.errorf(g.m.at, "%s matches more than %d series; narrow the scope", g.m.Name, g.v.Limits.Series)
	}
	if err := g.v.work(g.m.at, g.grid.n); err != nil {
		return err
	}
	any, err := g.roller.read(s)
	if err != nil || !any {
		return err
	}
	gr, err := g.group(t)
	if err != nil {
		return err
	}
	if g.roller.sketches != nil {
		if err := g.v.spend(g.m.at, g.roller.bins()); err != nil {
			return err
		}
		gr.mergeSketches(g.roller.sketches)
		if n := g.roller.spacing(); g.spacing == 0 || n < g.spacing {
			g.spacing = n
		}
		return nil
	}
	values := g.roller.values(g.convert)
	if g.first == nil && g.firstGroup == nil {
		g.first, g.firstGroup = values, gr
		return nil
	}
	g.release(true)
	g.fill(values, true)
	gr.add(values)
	return nil
}

// release adds the first series, interpolated only when there are several.
func (g *gather) release(several bool) {
	if g.first == nil {
		return
	}
	g.fill(g.first, several)
	g.firstGroup.add(g.first)
	g.first = nil
}

func (g *gather) fill(values []float64, several bool) {
	if g.m.Fill.Method == "" && (!several || g.m.Mode != Plain) {
		return
	}
	interpolate(values, g.grid.step, g.m.Fill)
}

// group finds the group of a series. A series with several values of a tag
// belongs to the group of their list.
func (g *gather) group(t Tags) (*group, error) {
	tags := make([]string, 0, len(g.m.By))
	for _, key := range g.m.By {
		values := t.Values(key)
		switch {
		case len(values) == 0:
			tags = append(tags, key+":N/A")
		case len(values) == 1 && values[0] == "":
			tags = append(tags, key)
		default:
			tags = append(tags, key+":"+strings.Join(values, ";"))
		}
	}
	id := strings.Join(tags, "\x00")
	gr := g.groups[id]
	if gr == nil {
		if len(g.groups) == g.v.Limits.Groups {
			return nil, g.v.errorf(g.m.at, "%s gives more than %d groups; group by fewer tags or narrow the scope",
				g.m.Name, g.v.Limits.Groups)
		}
		if err := g.v.spend(g.m.at, g.grid.n); err != nil {
			return nil, err
		}
		gr = newGroup(tags, g.grid.n)
		g.groups[id] = gr
	}
	return gr, nil
}

func newGroup(tags []string, n int) *group {
	return &group{
		tags: tags, sum: make([]float64, n), count: make([]float64, n), lo: make([]float64, n), hi: make([]float64, n),
	}
}

func (gr *group) add(values []float64) {
	for i, x := range values {
		if math.IsNaN(x) {
			continue
		}
		if gr.count[i] == 0 {
			gr.lo[i], gr.hi[i] = x, x
		}
		gr.lo[i], gr.hi[i] = min(gr.lo[i], x), max(gr.hi[i], x)
		gr.sum[i] += x
		gr.count[i]++
	}
}

func (gr *group) mergeSketches(s []*Sketch) {
	if gr.sketches == nil {
		gr.sketches = make([]*Sketch, len(s))
	}
	for i, sk := range s {
		switch {
		case sk == nil:
		case gr.sketches[i] == nil:
			gr.sketches[i] = sk
		default:
			gr.sketches[i].Merge(sk)
		}
	}
}

// value combines the series of a group in one bucket.
func (gr *group) value(aggregator string, i int) float64 {
	if gr.sketches != nil && gr.sketches[i] != nil {
		return gr.sketches[i].stat(aggregator)
	}
	if gr.count[i] == 0 {
		return math.NaN()
	}
	switch aggregator {
	case "sum":
		return gr.sum[i]
	case "min":
		return gr.lo[i]
	case "max":
		return gr.hi[i]
	case "count":
		return gr.count[i]
	default:
		return gr.sum[i] / gr.count[i]
	}
}

// result lists the groups in the order of their tags.
func (g *gather) result(meta Meta) []Series {
	var out []Series
	for _, gr := range g.groups {
		s := Series{
			Metric: g.m.Name, Aggregator: g.m.Aggregator, Tags: gr.tags, Scope: scopeOf(g.m, gr.tags),
			Unit: g.unit(meta), Start: g.grid.start, Step: g.grid.step, Values: make([]float64, g.grid.n),
		}
		s.Expression = expression(g.m, s.Scope)
		s.Sums = (g.roller.method == "sum" || g.roller.method == "count") && g.grid.shift == 0 &&
			g.grid.step > g.convert.interval
		for i := range s.Values {
			s.Values[i] = gr.value(g.m.Aggregator, i)
			if gr.sketches != nil && g.m.Mode == AsRate {
				s.Values[i] /= float64(max(g.grid.step, g.spacing)) / 1000
			}
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Series) int { return strings.Compare(a.key(), b.key()) })
	return out
}

// unit is the metric's own, per second when a rate is asked for; a count of
// series has none.
func (g *gather) unit(meta Meta) string {
	if meta.Unit == "" || g.m.Aggregator == "count" {
		return ""
	}
	if g.m.Mode == AsRate && !strings.Contains(meta.Unit, "/") {
		return meta.Unit + "/second"
	}
	return meta.Unit
}
