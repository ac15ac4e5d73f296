package telemetry

import (
	"slices"
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
	t.requests = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "stoa_http_requests_total",
		Help: "Requests answered, by service, route and status class; refused are server errors by status alone, " +
			"gone those whose caller left.",
	}, labels)
	t.duration = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "stoa_http_request_seconds",
		Help:    "Time from the first byte of a request to the end of its answer.",
		Buckets: buckets(),
	}, labels)
	t.register(t.requests)
	t.register(t.duration)
}

// register adds a collector. Registering a name twice is a programming error and
// panics, before the first reading of metrics with that.
func (t *Telemetry) register(c prometheus.Collector) {
	t.registryMu.Lock()
	defer t.registryMu.Unlock()
	if t.registry == nil {
		t.waiting = append(t.waiting, c)
		return
	}
	t.registry.MustRegister(c)
}

func (t *Telemetry) unregister(c prometheus.Collector) {
	t.registryMu.Lock()
	defer t.registryMu.Unlock()
	if t.registry == nil {
		t.waiting = slices.DeleteFunc(t.waiting, func(w prometheus.Collector) bool { return w == c })
		return
	}
	t.registry.Unregister(c)
}

type routeKey struct{ service, route string }

// RouteMetrics are the metrics of one route, resolved once. Observing costs a
// few atomic additions and no lookup.
type RouteMetrics struct {
	owner   *Telemetry
	key     routeKey
	classes [8]atomic.Pointer[classMetrics] // by status / 100, refusals, and callers that left
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
	switch {
	case status == StatusGone:
		class = goneClass
	case class < 1 || class > 5:
		class = 0
	}
	m.observe(class, d)
}

// StatusGone stands for an answer that was not sent, because the caller left.
const StatusGone = 499

// refusedClass is that of answers that are server errors by their status alone, goneClass that of callers that left.
const (
	refusedClass = 6
	goneClass    = 7
)

// ObserveAnswer is Observe, with a class of its own for refusals: answers with a status of
// server errors where nothing failed.
func (m *RouteMetrics) ObserveAnswer(status int, refused bool, d time.Duration) {
	if refused {
		m.observe(refusedClass, d)
		return
	}
	m.Observe(status, d)
}

func (m *RouteMetrics) observe(class int, d time.Duration) {
	c := m.classes[class].Load()
	if c == nil {
		c = m.resolve(class)
	}
	c.count.Inc()
	c.seconds.Observe(d.Seconds())
}

// resolve may run twice at once; both results are the same series.
func (m *RouteMetrics) resolve(class int) *classMetrics {
	names := [8]string{"other", "1xx", "2xx", "3xx", "4xx", "5xx", "refused", "gone"}
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
	t.register(s)
	return func() { t.unregister(s) }
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

// Registry is the instance's own registry, for libraries that bring metrics. It is made
// for the first reading: most worlds of a lab are never measured.
func (t *Telemetry) Registry() *prometheus.Registry {
	t.registryMu.Lock()
	defer t.registryMu.Unlock()
	if t.registry == nil {
		t.registry = prometheus.NewRegistry()
		t.registry.MustRegister(collectors.NewGoCollector(),
			collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
		t.registry.MustRegister(t.waiting...)
		t.waiting = nil
	}
	return t.registry
}
