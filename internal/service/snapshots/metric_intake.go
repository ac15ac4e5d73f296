package snapshots

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/query"
	"stoa.dev/stoa/internal/service/snapshots/refusal"
)

// submission is points on their way in and what was said about their metrics.
type submission struct {
	series []metrics.Series
	meta   map[string]query.Meta
	// past is how old points may be; 0 is as old as points are kept.
	past   time.Duration
	points int // so far
}

// dropped is what of a submission was not stored, and why.
type dropped struct {
	points   int
	warnings []string
}

// maxWarnings bounds how many dropped metrics are named.
const maxWarnings = 10

// Submit stores points and returns when they are durable. Points outside the
// time window are left out and named in the warnings.
func (s *Service) Submit(ctx context.Context, t Tenant, in submission) (dropped, error) {
	out := s.applyWindow(in)
	if err := s.chargePoints(ctx, t.Org, in.series); err != nil {
		return dropped{}, err
	}
	return s.store(ctx, t, in, out)
}

// store keeps the points that are left of a submission, and adds to what was
// dropped of it.
func (s *Service) store(ctx context.Context, t Tenant, in submission, out dropped) (dropped, error) {
	fresh, err := s.unknown(ctx, t.Org, in.meta)
	if err != nil {
		return dropped{}, fmt.Errorf("look up metrics: %w", err)
	}
	defer s.rendered.forget(t.Org)
	written, err := s.backend.Write(ctx, t.Org, in.series)
	var full *metrics.ActiveError
	var revised *metrics.RevisionError
	switch {
	case errors.As(err, &full):
		return dropped{}, &limit.Exceeded{Decision: limit.Decision{
			Name: activeLimit, Limit: int64(full.Max), Used: int64(full.Max), RetryAfter: activeRetry,
		}}
	case errors.As(err, &revised):
		return dropped{}, errCause("", revised)
	case err != nil:
		return dropped{}, err
	}
	// Only what was stored is remembered: a refused submission leaves nothing.
	if err := s.remember(ctx, t.Org, fresh); err != nil {
		return dropped{}, fmt.Errorf("remember metrics: %w", err)
	}
	if written.TooOld > 0 {
		out.points += written.TooOld
		out.warnings = append(out.warnings, fmt.Sprintf(
			"%d points are too far behind the newest ones and were dropped", written.TooOld))
	}
	return out, nil
}

// activeRetry is when a sender with too many series may try again: series stop
// being active by and by.
const activeRetry = 10 * time.Minute

// chargePoints takes the points of a submission from the owner's budget.
func (s *Service) chargePoints(ctx context.Context, org string, list []metrics.Series) error {
	n := int64(0)
	for i := range list {
		n += int64(len(list[i].Samples))
	}
	if n == 0 {
		return nil
	}
	window := limit.Window{Name: pointsLimit, Limit: s.config.PointsPerMinute, Per: time.Minute}
	_, err := s.world.Limits.Take(ctx, window, org, n)
	return err
}

// applyWindow removes points that lie too far in the past or the future. One far
// ahead would make those of all others too old for the store.
func (s *Service) applyWindow(in submission) (out dropped) {
	now, past := s.world.Clock.Now(), in.past
	if past == 0 {
		past = s.config.Retention
	}
	first, last := now.Add(-past).UnixMilli(), now.Add(s.config.PointsFuture).UnixMilli()
	names := map[string]int{}
	for i := range in.series {
		kept := in.series[i].Samples[:0]
		for _, p := range in.series[i].Samples {
			if p.Ms < first || p.Ms > last {
				names[in.series[i].Metric]++
				out.points++
				continue
			}
			kept = append(kept, p)
		}
		in.series[i].Samples = kept
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if len(out.warnings) == maxWarnings {
			break
		}
		out.warnings = append(out.warnings, fmt.Sprintf(
			"%d points of %s are more than %s old or more than %s ahead and were dropped", names[name], name,
			short(past), short(s.config.PointsFuture)))
	}
	return out
}

// short writes a duration without trailing zero units.
func short(d time.Duration) string {
	text := d.String()
	text = strings.TrimSuffix(text, "0s")
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// maxMetrics is how many different metrics a submission may name: each new one
// is a row.
const maxMetrics = 5_000

// unknown is what is new about metrics, or is to be written again so that it is
// not forgotten.
func (s *Service) unknown(ctx context.Context, org string, meta map[string]query.Meta) (map[string]query.Meta, error) {
	if len(meta) > maxMetrics {
		return nil, &Error{Code: refusal.TooLarge, Message: fmt.Sprintf(
			"Payload too large: a submission names at most %d different metrics; send less at once", maxMetrics)}
	}
	fresh, now := map[string]query.Meta{}, s.world.Clock.Now()
	for metric, m := range meta {
		have, err := s.seenMetadata(ctx, org, metric)
		if err != nil {
			return nil, err
		}
		// Silence about the unit changes nothing, here and in the row.
		said := m
		if said.Unit == "" {
			said.Unit = have.sent.Unit
		}
		if have.sent != said || now.Sub(have.seen) >= seenAgain {
			fresh[metric] = m
		}
	}
	return fresh, nil
}

// remember stores what is new about metrics; what is known costs no write.
func (s *Service) remember(ctx context.Context, org string, fresh map[string]query.Meta) error {
	if len(fresh) == 0 {
		return nil
	}
	now := s.world.Clock.Now()
	err := s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		for _, metric := range slices.Sorted(maps.Keys(fresh)) {
			if err := upsertMetadata(ctx, tx, org, metric, fresh[metric], now); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for metric := range fresh {
		s.metadataCache.Forget(metadataKey(org, metric))
	}
	return nil
}

// add takes in one series after checking its name and tags.
func (in *submission) add(where string, s metrics.Series, m query.Meta) error {
	if err := checkMetric(where, s.Metric); err != nil {
		return err
	}
	if len(s.Tags) > metrics.MaxTags {
		return errInvalid("%s: at most %d tags, not %d", where, metrics.MaxTags, len(s.Tags))
	}
	if len(m.Unit) > metrics.MaxUnit {
		return errInvalid("%s: the unit is longer than %d bytes", where, metrics.MaxUnit)
	}
	if in.points += len(s.Samples); len(in.series) >= metrics.MaxSubmitted || in.points > metrics.MaxSubmitted {
		return &Error{Code: refusal.TooLarge, Message: fmt.Sprintf("Payload too large: a submission holds at most "+
			"%d series and points; send less at once", metrics.MaxSubmitted)}
	}
	s.Tags = metrics.Normalize(s.Tags)
	in.series = append(in.series, s)
	in.meta[s.Metric] = m
	return nil
}

func checkMetric(where, name string) error {
	if !metrics.ValidMetric(name) {
		return errInvalid(
			"%s: the metric name %q must begin with a letter and hold at most %d letters, digits, underscores and dots",
			where, clipped(name), metrics.MaxMetric,
		)
	}
	if strings.HasPrefix(name, ownPrefix) {
		return errInvalid("%s: metrics that begin with %s are recorded by the server itself", where, ownPrefix)
	}
	return nil
}
