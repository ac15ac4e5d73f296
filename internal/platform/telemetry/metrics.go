package telemetry

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// buckets reach from an answer out of memory to the slowest allowed request.
func buckets() []float64 {
	return []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
}

func (t *Telemetry) buildMetrics() {
	labels := []string{"service", "route", "status"}
	t.registry = prometheus.NewRegistry()
	t.requests = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "stoa_http_requests_total",
		Help: "Requests answered, by service, route and status class.",
	}, labels)
	t.duration = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "stoa_http_request_seconds",
		Help:    "Time from the first byte of a request to the end of its answer.",
		Buckets: buckets(),
	}, labels)
	t.registry.MustRegister(
		t.requests, t.duration,
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
}

type routeKey struct{ service, route string }

// RouteMetrics are the metrics of one route, resolved once. Observing costs a
// few atomic additions and no lookup.
type RouteMetrics struct {
	owner   *Telemetry
	key     routeKey
	classes [6]atomic.Pointer[classMetrics] // by status / 100
}

type classMetrics struct {
	count   prometheus.Counter
	seconds prometheus.Observer
}

// Route is the metrics of one route of one service.
func (t *Telemetry) Route(service, route string) *RouteMetrics {
	key := routeKey{service, route}
	if m, ok := t.routes.Load(key); ok {
		return m.(*RouteMetrics)
	}
	m, _ := t.routes.LoadOrStore(key, &RouteMetrics{owner: t, key: key})
	return m.(*RouteMetrics)
}

// Observe counts one answer. Series appear with their first answer, so an
// unused class of an unused route costs no memory.
func (m *RouteMetrics) Observe(status int, d time.Duration) {
	class := status / 100
	if class < 1 || class > 5 {
		class = 0
	}
	c := m.classes[class].Load()
	if c == nil {
		c = m.resolve(class)
	}
	c.count.Inc()
	c.seconds.Observe(d.Seconds())
}

// resolve may run twice at once; both results are the same series.
func (m *RouteMetrics) resolve(class int) *classMetrics {
	names := [6]string{"other", "1xx", "2xx", "3xx", "4xx", "5xx"}
	c := &classMetrics{
		count:   m.owner.requests.WithLabelValues(m.key.service, m.key.route, names[class]),
		seconds: m.owner.duration.WithLabelValues(m.key.service, m.key.route, names[class]),
	}
	m.classes[class].Store(c)
	return c
}

// Counter is a metric that only grows.
type Counter struct {
	vec *prometheus.CounterVec
}

// Counter registers a counter with the given label names. Registering a name
// twice is a programming error and panics.
func (t *Telemetry) Counter(name, help string, labels ...string) *Counter {
	vec := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	t.registry.MustRegister(vec)
	return &Counter{vec: vec}
}

// Add adds n to the series with the given label values.
func (c *Counter) Add(n float64, values ...string) { c.vec.WithLabelValues(values...).Add(n) }

// Gauge registers a value that is read when metrics are asked for.
func (t *Telemetry) Gauge(name, help string, read func() float64) {
	t.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
}

// Sample is one value of a metric with labels.
type Sample struct {
	Labels []string
	Value  float64
}

// Gauges registers values with labels that are read when metrics are asked for.
// What read cannot tell is left out. The metric is gone after remove.
func (t *Telemetry) Gauges(name, help string, labels []string, read func() []Sample) (remove func()) {
	g := &gauges{desc: prometheus.NewDesc(name, help, labels, nil), read: read}
	t.registry.MustRegister(g)
	return func() { t.registry.Unregister(g) }
}

type gauges struct {
	desc *prometheus.Desc
	read func() []Sample
}

// Describe and Collect make gauges a prometheus.Collector.
func (g *gauges) Describe(to chan<- *prometheus.Desc) { to <- g.desc }

// Collect sends what read tells now.
func (g *gauges) Collect(to chan<- prometheus.Metric) {
	for _, s := range g.read() {
		to <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, s.Value, s.Labels...)
	}
}

// Registry is the instance's own registry, for libraries that bring metrics.
func (t *Telemetry) Registry() *prometheus.Registry { return t.registry }
