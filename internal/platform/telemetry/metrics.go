package telemetry

import (
	"strings"
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

// Sample is one value of a metric with labels.
type Sample struct {
	Labels []string
	Value  float64
}

// Samples registers values with labels that are read when metrics are asked for.
// What read leaves out is not shown. A name that ends in _total is a counter,
// any other a gauge. Registering a name twice is a programming error and panics;
// the metric is gone after remove.
func (t *Telemetry) Samples(name, help string, labels []string, read func() []Sample) (remove func()) {
	s := &samples{desc: prometheus.NewDesc(name, help, labels, nil), kind: prometheus.GaugeValue, read: read}
	if strings.HasSuffix(name, "_total") {
		s.kind = prometheus.CounterValue
	}
	t.registry.MustRegister(s)
	return func() { t.registry.Unregister(s) }
}

type samples struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func() []Sample
}

// Describe and Collect make samples a prometheus.Collector.
func (s *samples) Describe(to chan<- *prometheus.Desc) { to <- s.desc }

// Collect sends what read returns now.
func (s *samples) Collect(to chan<- prometheus.Metric) {
	for _, v := range s.read() {
		to <- prometheus.MustNewConstMetric(s.desc, s.kind, v.Value, v.Labels...)
	}
}

// Registry is the instance's own registry, for libraries that bring metrics.
func (t *Telemetry) Registry() *prometheus.Registry { return t.registry }
