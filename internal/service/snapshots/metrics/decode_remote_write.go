//go:build !small

package metrics

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/prompb"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// DecodeRemoteWrite reads an unpacked remote-write message, version 1. Label
// values are kept as they are, so that PromQL finds what Prometheus would.
// It takes memory before it makes anything.
func DecodeRemoteWrite(b []byte, reserve ReserveMemory) ([]Series, error) {
	if err := count(b, writeRequest(), reserve); err != nil {
		return nil, err
	}
	var req prompb.WriteRequest
	if err := req.Unmarshal(b); err != nil {
		return nil, fmt.Errorf("not a write request: %w", err)
	}
	if len(req.Timeseries) > MaxSubmitted {
		return nil, &BoundError{"series", MaxSubmitted}
	}
	out := make([]Series, 0, len(req.Timeseries))
	got := collected{reserve: reserve}
	for _, ts := range req.Timeseries {
		var s Series
		for _, l := range ts.Labels {
			if l.Name == nameLabel {
				s.Metric = clean(l.Value)
				continue
			}
			if len(l.Name) > MaxTag || len(l.Value) > MaxLabel {
				return nil, fmt.Errorf("a label has a name of at most %d and a value of at most %d bytes", MaxTag,
					MaxLabel)
			}
			if l.Name != "" && l.Value != "" {
				s.Tags = append(s.Tags, clean(l.Name+":"+l.Value))
			}
		}
		if s.Metric == "" || len(s.Metric) > MaxMetric || len(s.Tags) > MaxTags {
			return nil, fmt.Errorf("a series needs a name of at most %d characters and at most %d labels", MaxMetric,
				MaxTags)
		}
		slices.Sort(s.Tags)
		if err := got.add(s.Tags, len(ts.Samples)+len(ts.Histograms)); err != nil {
			return nil, err
		}
		for _, p := range ts.Samples {
			// Staleness marks are NaN: the gap they announce shows by itself.
			if !math.IsNaN(p.Value) && sane(p.Timestamp) {
				s.Samples = append(s.Samples, Sample{Ms: p.Timestamp, Value: p.Value})
			}
		}
		for _, h := range ts.Histograms {
			fh := h.ToFloatHistogram()
			if err := fh.Validate(); err != nil {
				return nil, fmt.Errorf("histogram of %s: %w", s.Metric, err)
			}
			if !sane(h.Timestamp) {
				return nil, fmt.Errorf("histogram of %s: its time cannot be kept", s.Metric)
			}
			s.Samples = append(s.Samples, Sample{Ms: h.Timestamp, Sketch: collapsed(toSketch(fh))})
		}
		if len(s.Samples) > 0 {
			out = append(out, s)
		}
	}
	return out, nil
}

// collapsed bounds the bins of a distribution.
func collapsed(s *query.Sketch) *query.Sketch {
	s.Collapse()
	return s
}

// clean keeps names and values valid and free of the separators of this package.
func clean(v string) string {
	v = strings.ToValidUTF8(v, "�")
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, v)
}
