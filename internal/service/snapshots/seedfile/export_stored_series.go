package seedfile

import (
	"context"
	"math"
	"slices"
	"time"

	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Owner is whose series are read from a store, and between which times in milliseconds.
type Owner struct {
	Backend  metrics.Backend
	Org      string
	User     string // as the file names the owner
	From, To int64
	Meta     func(ctx context.Context, metric string) (query.Meta, error)
}

// MaxUsers bounds whose series are written.
const MaxUsers = 1 << 20

// AppendSeries adds those of an owner as a file has them. Distributions have no form there,
// nor have values that are not numbers.
func (o Owner) AppendSeries(ctx context.Context, list []Series) ([]Series, error) {
	names, err := o.Backend.Names(ctx, o.Org, o.From, o.To, "", nil)
	if err != nil {
		return nil, err
	}
	for _, metric := range names {
		found, err := o.seriesOf(ctx, metric)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

func (o Owner) seriesOf(ctx context.Context, metric string) (list []Series, err error) {
	meta, err := o.Meta(ctx, metric)
	if err != nil {
		return nil, err
	}
	all := query.Selection{Metric: metric, Scope: query.Everything{}, From: o.From, To: o.To}
	err = o.Backend.Select(ctx, o.Org, all, func(t query.Tags, samples query.Samples) error {
		s := Series{
			User: o.User, Metric: metric, Type: string(meta.Type), Unit: meta.Unit, Interval: meta.Interval,
			Tags: metrics.TagsOf(t),
		}
		times := s.addValues(samples)
		if len(times) > 0 {
			s.setTimes(times)
			list = append(list, s)
		}
		return samples.Err()
	})
	slices.SortStableFunc(list, func(a, b Series) int { return slices.Compare(a.Tags, b.Tags) })
	return list, err
}

// addValues takes the numbers and returns their times in milliseconds.
func (in *Series) addValues(samples query.Samples) (times []int64) {
	for samples.Next() {
		ms, v := samples.At()
		if samples.Sketch() != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		times, in.Values = append(times, ms), append(in.Values, v)
	}
	return times
}

// setTimes says when the values were: by a step where they are evenly apart.
func (in *Series) setTimes(times []int64) {
	last := times[len(times)-1]
	in.End = time.UnixMilli(last).UTC().Format(time.RFC3339Nano)
	step := time.Minute.Milliseconds()
	if len(times) > 1 {
		step = times[1] - times[0]
	}
	for i := range times {
		if times[i] != last-int64(len(times)-1-i)*step {
			for _, at := range times {
				in.Offsets = append(in.Offsets, float64(last-at)/1000)
			}
			return
		}
	}
	if every := time.Duration(step) * time.Millisecond; every != time.Minute {
		in.Step = every.String()
	}
}
