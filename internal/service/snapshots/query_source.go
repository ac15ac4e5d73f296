package snapshots

import (
	"context"
	"strings"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

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

// Meta is what is known about a metric.
func (s source) Meta(ctx context.Context, metric string) (query.Meta, error) {
	m, err := s.s.metadataOf(ctx, s.org(metric), metric)
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
	return &query.Evaluator{Source: source{s, t}, Limits: limits, Reserve: e.reserve}
}
