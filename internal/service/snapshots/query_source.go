package snapshots

import (
	"context"
	"strings"

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
