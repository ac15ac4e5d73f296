package snapshots

import (
	"context"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// backend is where points live: the embedded store or a remote one.
type backend interface {
	Write(ctx context.Context, org string, list []metrics.Series) (metrics.Written, error)
	Select(ctx context.Context, org string, s query.Selection, each func(query.Tags, query.Samples) error) error
	Names(ctx context.Context, org string, from, to int64, tag string, weigh metrics.Weigh) ([]string, error)
	PromQL(ctx context.Context, org, text string, r query.Range, weigh metrics.Weigh) ([]query.Series, error)
	CheckPromQL(text string, r query.Range) error
	Close() error
}

// The server's own metrics live under a name of their own. Only administrators
// may read them and no caller may submit them.
const (
	ownOrg    = "stoa"
	ownPrefix = "stoa."
)

// source is what a tenant's queries read.
type source struct {
	s      *Service
	tenant Tenant
}

// org is whose points a metric belongs to.
func (s source) org(metric string) string {
	if s.tenant.Own && strings.HasPrefix(metric, ownPrefix) {
		return ownOrg
	}
	return s.tenant.Org
}

// Meta reads through the cache.
func (s source) Meta(ctx context.Context, metric string) (query.Meta, error) {
	m, err := s.s.known.get(ctx, s.s, s.org(metric), metric)
	return m.Meta, err
}

// Select reads stored points.
func (s source) Select(ctx context.Context, sel query.Selection, each func(query.Tags, query.Samples) error) error {
	return s.s.backend.Select(ctx, s.org(sel.Metric), sel, each)
}

// metadata remembers what is known about metrics, so that neither submissions
// nor queries ask the database every time.
type metadata struct {
	mu  sync.RWMutex
	all map[string]knownMetric
}

// knownMetric is what is known about a metric and when that was written: what
// counts, what senders say, and what the owner says.
type knownMetric struct {
	query.Meta
	sent   query.Meta
	edited MetricMetadata
	seen   time.Time
}

// effective is what the owner says, and else what senders say.
func (m knownMetric) effective() query.Meta {
	out := m.sent
	if m.edited.Type != "" {
		out.Type = m.edited.Type
	}
	if m.edited.Interval != 0 {
		out.Interval = m.edited.Interval
	}
	if m.edited.Unit != "" {
		out.Unit = m.edited.Unit
	}
	return out
}

// seenAgain is when a metric that is still submitted is written again: those that
// are not are forgotten after the time that points are kept.
const seenAgain = 24 * time.Hour

// maxMetadata bounds the cache; beyond it, it starts anew.
const maxMetadata = 100_000

func (m *metadata) get(ctx context.Context, s *Service, org, metric string) (knownMetric, error) {
	key := org + "\x00" + metric
	m.mu.RLock()
	meta, ok := m.all[key]
	m.mu.RUnlock()
	if ok {
		return meta, nil
	}
	meta, err := metadataByName(ctx, s.world.DB, org, metric)
	if err == nil && !meta.seen.IsZero() {
		m.put(key, meta)
	}
	return meta, err
}

func (m *metadata) put(key string, meta knownMetric) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil || len(m.all) >= maxMetadata {
		m.all = map[string]knownMetric{}
	}
	m.all[key] = meta
}

// forget has the next look read the database.
func (m *metadata) forget(org, metric string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.all, org+"\x00"+metric)
}

// evaluator reads as a tenant and takes memory for what it makes.
func (s *Service) evaluator(t Tenant, e *evaluation) *query.Evaluator {
	limits := query.DefaultLimits()
	limits.Series = s.config.MaxSeries
	return &query.Evaluator{Source: source{s, t}, Limits: limits, Weigh: e.weigh}
}

// run evaluates one query in its language.
func (s *Service) run(ctx context.Context, t Tenant, e *evaluation, p planned, r query.Range) ([]query.Series, error) {
	if p.prom == "" {
		return s.evaluator(t, e).Run(ctx, p.q, r)
	}
	org := t.Org
	if t.Own && strings.Contains(p.prom, ownPrefix) {
		org = ownOrg
	}
	return s.backend.PromQL(ctx, org, p.prom, r, e.weigh)
}
