package snapshots

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

type seriesV1Request struct {
	Series []seriesV1 `json:"series"`
}

type seriesV1 struct {
	Metric   string    `json:"metric"`
	Points   []pointV1 `json:"points"`
	Type     string    `json:"type"`
	Interval *float64  `json:"interval"`
	Host     string    `json:"host"`
	Device   string    `json:"device"`
	Unit     string    `json:"unit"`
	Tags     []string  `json:"tags"`
}

// pointV1 is [seconds, value]. It reads itself: a body holds mostly points.
type pointV1 struct{ t, v float64 }

// UnmarshalJSON refuses anything but two finite numbers; numbers in quotes are
// taken, as some senders write them.
func (p *pointV1) UnmarshalJSON(b []byte) error {
	first, second, err := pair(b)
	if err != nil {
		return err
	}
	if p.t, err = finite(first); err != nil {
		return err
	}
	p.v, err = finite(second)
	return err
}

// pair cuts [a, b] into its two texts.
func pair(b []byte) (first, second []byte, err error) {
	b = bytes.TrimSpace(b)
	if len(b) < 2 || b[0] != '[' || b[len(b)-1] != ']' {
		return nil, nil, errInvalid("a point is a list of a time and a value")
	}
	first, second, ok := bytes.Cut(b[1:len(b)-1], []byte(","))
	if !ok {
		return nil, nil, errInvalid("a point is a list of a time and a value")
	}
	return bytes.TrimSpace(first), bytes.TrimSpace(second), nil
}

func finite(b []byte) (float64, error) {
	b = bytes.Trim(b, `"`)
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, errInvalid("%q is not a number", clipped(string(b)))
	}
	return v, nil
}

// milliseconds bounds times so that arithmetic on them cannot overflow.
func milliseconds(seconds float64) int64 {
	return int64(min(max(seconds, 0), latest) * 1000)
}

func (q seriesV1Request) fromWire(past time.Duration) (submission, error) {
	in := submission{meta: map[string]query.Meta{}, past: past}
	for i, s := range q.Series {
		m := query.Meta{Unit: s.Unit}
		switch s.Type {
		case "", "gauge":
			m.Type = query.Gauge
		case "count", "counter":
			m.Type = query.Count
		case "rate":
			m.Type = query.Rate
		default:
			return in, errInvalid("series[%d].type is gauge, count or rate, not %q", i, clipped(s.Type))
		}
		if s.Interval != nil {
			if !(*s.Interval >= 0 && *s.Interval < query.MaxInterval) {
				return in, errInterval(i)
			}
			if m.Type != query.Gauge {
				m.Interval = int64(*s.Interval)
			}
		}
		out := metrics.Series{Metric: s.Metric, Tags: withHost(s.Tags, s.Host, s.Device)}
		for _, p := range s.Points {
			out.Samples = append(out.Samples, metrics.Sample{Ms: milliseconds(p.t), Value: p.v})
		}
		if err := in.add(fmt.Sprintf("series[%d]", i), out, m); err != nil {
			return in, err
		}
	}
	return in, in.notEmpty(len(q.Series))
}

func errInterval(i int) error {
	return errInvalid("series[%d].interval is a number of seconds from 0 to %d", i, query.MaxInterval-1)
}

// notEmpty refuses a body without any series, which is never meant.
func (in *submission) notEmpty(n int) error {
	if n == 0 {
		return errInvalid("series must be a list with at least one entry")
	}
	return nil
}

func withHost(tags []string, host, device string) []string {
	out := append(make([]string, 0, len(tags)+2), tags...)
	if host != "" {
		out = append(out, "host:"+host)
	}
	if device != "" {
		out = append(out, "device:"+device)
	}
	return out
}

type seriesV2Request struct {
	Series []seriesV2 `json:"series"`
}

type seriesV2 struct {
	Metric string `json:"metric"`
	Points []struct {
		Timestamp *int64   `json:"timestamp"`
		Value     *float64 `json:"value"`
	} `json:"points"`
	Type      int      `json:"type"`
	Interval  int64    `json:"interval"`
	Unit      string   `json:"unit"`
	Tags      []string `json:"tags"`
	Resources []struct {
		Name string `json:"name"`
		Type string `json:"type"`
	} `json:"resources"`
	SourceTypeName string `json:"source_type_name"`
}

func (q seriesV2Request) fromWire(past time.Duration) (submission, error) {
	in := submission{meta: map[string]query.Meta{}, past: past}
	kinds := []query.MetricType{query.Gauge, query.Count, query.Rate, query.Gauge}
	for i, s := range q.Series {
		if s.Type < 0 || s.Type >= len(kinds) {
			return in, errInvalid("series[%d].type is 0, 1, 2 or 3, not %d", i, s.Type)
		}
		m := query.Meta{Type: kinds[s.Type], Unit: s.Unit}
		if s.Interval < 0 || s.Interval >= query.MaxInterval {
			return in, errInterval(i)
		}
		if m.Type != query.Gauge {
			m.Interval = s.Interval
		}
		out := metrics.Series{Metric: s.Metric, Tags: s.Tags}
		for _, r := range s.Resources {
			if r.Name != "" && r.Type != "" {
				out.Tags = append(out.Tags, r.Type+":"+r.Name)
			}
		}
		for j, p := range s.Points {
			if p.Timestamp == nil || p.Value == nil {
				return in, errInvalid("series[%d].points[%d] needs timestamp and value", i, j)
			}
			out.Samples = append(out.Samples, metrics.Sample{Ms: milliseconds(float64(*p.Timestamp)), Value: *p.Value})
		}
		if err := in.add(fmt.Sprintf("series[%d]", i), out, m); err != nil {
			return in, err
		}
	}
	return in, in.notEmpty(len(q.Series))
}

type distributionRequest struct {
	Series []struct {
		Metric string              `json:"metric"`
		Points []distributionPoint `json:"points"`
		Type   string              `json:"type"`
		Host   string              `json:"host"`
		Tags   []string            `json:"tags"`
	} `json:"series"`
}

// distributionPoint is [seconds, [value, …]].
type distributionPoint struct {
	t      float64
	values []float64
}

// UnmarshalJSON reads the nested list.
func (p *distributionPoint) UnmarshalJSON(b []byte) error {
	first, second, err := pair(b)
	if err != nil {
		return err
	}
	if p.t, err = finite(first); err != nil {
		return err
	}
	if len(second) < 2 || second[0] != '[' || second[len(second)-1] != ']' {
		return errInvalid("a point of a distribution is a list of a time and a list of values")
	}
	second = bytes.TrimSpace(second[1 : len(second)-1])
	for len(second) > 0 {
		value, rest, _ := bytes.Cut(second, []byte(","))
		v, err := finite(bytes.TrimSpace(value))
		if err != nil {
			return err
		}
		p.values = append(p.values, v)
		second = bytes.TrimSpace(rest)
	}
	return nil
}

func (q distributionRequest) fromWire(past time.Duration) (submission, error) {
	in := submission{meta: map[string]query.Meta{}, past: past}
	for i, s := range q.Series {
		if s.Type != "" && s.Type != "distribution" {
			return in, errInvalid("series[%d].type is distribution, not %q", i, clipped(s.Type))
		}
		out := metrics.Series{Metric: s.Metric, Tags: withHost(s.Tags, s.Host, "")}
		for _, p := range s.Points {
			sk := query.NewSketch()
			for _, v := range p.values {
				sk.Add(v)
			}
			sk.Collapse()
			if sk.Count > 0 {
				out.Samples = append(out.Samples, metrics.Sample{Ms: milliseconds(p.t), Sketch: sk})
			}
		}
		if err := in.add(fmt.Sprintf("series[%d]", i), out, query.Meta{Type: query.DistribType}); err != nil {
			return in, err
		}
	}
	return in, in.notEmpty(len(q.Series))
}

// submitResponse is the answer of the first version of the intake; warnings
// name what was dropped.
type submitResponse struct {
	Status   string   `json:"status"`
	Warnings []string `json:"warnings,omitempty"`
}

// submitV2Response is the answer of the second version.
type submitV2Response struct {
	Errors []string `json:"errors"`
}

type checkRun struct {
	Check    string   `json:"check"`
	HostName string   `json:"host_name"`
	Status   *int     `json:"status"`
	Tags     []string `json:"tags"`
	Message  string   `json:"message"`
	Time     *int64   `json:"timestamp"`
}

// checksFromWire stores runs of checks as a metric of their status.
func checksFromWire(list []checkRun, now int64, past time.Duration) (submission, error) {
	in := submission{meta: map[string]query.Meta{}, past: past}
	for i, c := range list {
		if c.Status == nil || *c.Status < 0 || *c.Status > 3 {
			return in, errInvalid("[%d].status is 0, 1, 2 or 3", i)
		}
		at := now
		if c.Time != nil {
			at = *c.Time
		}
		s := metrics.Series{
			Metric: c.Check, Tags: withHost(c.Tags, c.HostName, ""),
			Samples: []metrics.Sample{{Ms: milliseconds(float64(at)), Value: float64(*c.Status)}},
		}
		if err := in.add(fmt.Sprintf("[%d]", i), s, query.Meta{Type: query.Gauge}); err != nil {
			return in, err
		}
	}
	return in, in.notEmpty(len(list))
}
