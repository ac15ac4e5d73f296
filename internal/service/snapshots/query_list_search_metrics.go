package snapshots

import (
	"context"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// pointText is what a point takes on its way out: as a pair and as text.
const pointText = 64

// Query evaluates a text in either language over a range of seconds.
func (s *Service) Query(
	ctx context.Context, t Tenant, e *evaluation, text string, from, to int64,
) ([]query.Series, error) {
	switch {
	case strings.TrimSpace(text) == "":
		return nil, errInvalid("the parameter query is required")
	case from < 0 || to > latest || from >= to:
		return nil, errInvalid("from (%d) must be before to (%d), both POSIX times in seconds", from, to)
	}
	p, err := parseOne("query", text)
	if err != nil {
		return nil, err
	}
	list, err := s.runQuery(ctx, t, e, p, query.Range{From: from, To: to})
	if err != nil {
		return nil, err
	}
	// The answer is written as text before it is sent.
	points := 0
	for i := range list {
		points += len(list[i].Values)
	}
	return list, e.reserve(int64(points) * pointText)
}

// runQuery evaluates one query in its language.
func (s *Service) runQuery(
	ctx context.Context, t Tenant, e *evaluation, p planned, r query.Range,
) ([]query.Series, error) {
	if p.prom == "" {
		return s.evaluator(t, e).Run(ctx, p.q, r)
	}
	org := t.Org
	if t.Own && strings.Contains(p.prom, ownPrefix) {
		org = ownOrg
	}
	return s.backend.PromQL(ctx, org, p.prom, r, e.reserve)
}

// ListMetrics names the metrics that have points since a time in seconds.
func (s *Service) ListMetrics(ctx context.Context, t Tenant, from int64, tag string) ([]string, error) {
	if from < 0 || from > latest {
		return nil, errInvalid("from must be a POSIX time in seconds, not %d", from)
	}
	now := s.world.Clock.Now().Add(time.Hour).UnixMilli()
	memory, err := s.world.Memory.Take(ctx, t.owner(), 0)
	if err != nil {
		return nil, err
	}
	defer memory.Release()
	names, err := s.backend.Names(ctx, t.Org, from*1000, max(now, from*1000), tag, memory.Grow)
	if err != nil || !t.Own {
		return nonNil(names), err
	}
	own, err := s.backend.Names(ctx, ownOrg, from*1000, max(now, from*1000), tag, memory.Grow)
	return nonNil(append(names, own...)), err
}

func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// Search finds metrics whose name contains a text, which may be prefixed with
// what is searched.
func (s *Service) Search(ctx context.Context, t Tenant, text string) ([]string, error) {
	text = strings.TrimPrefix(text, "metrics:")
	names, err := s.ListMetrics(ctx, t, 0, "")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(names, func(n string) bool { return !strings.Contains(n, text) }), nil
}
