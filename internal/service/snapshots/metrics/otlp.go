//go:build !small

package metrics

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// deltaTemporality means that points are differences.
const deltaTemporality = metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA

// DecodeOTLP reads an OpenTelemetry export of metrics. The request message has
// the wire form of MetricsData. Attributes of resource and point become tags.
//
// Gauges and cumulative sums keep their values, delta sums become counts, delta
// histograms become distributions. A cumulative histogram becomes its running
// count and sum, NAME.count and NAME.sum, as does a summary.
//
// It takes memory before it makes anything.
func DecodeOTLP(b []byte, isJSON bool, reserve ReserveMemory) ([]Series, map[string]query.Meta, error) {
	var data metricspb.MetricsData
	var err error
	if isJSON {
		var text json.RawMessage
		if err := wire.DecodeJSON(b, &text, wire.MaxValues(maxElements), wire.Weighed(reserve)); err != nil {
			return nil, nil, err
		}
		err = protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(b, &data)
	} else {
		if err := count(b, described{data.ProtoReflect().Descriptor()}, reserve); err != nil {
			return nil, nil, err
		}
		err = proto.Unmarshal(b, &data)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("not an export of metrics: %w", err)
	}
	d := otlp{meta: map[string]query.Meta{}, got: collected{reserve: reserve}}
	for _, rm := range data.ResourceMetrics {
		resource, err := attributes(nil, rm.GetResource().GetAttributes())
		if err != nil {
			return nil, nil, err
		}
		for _, sm := range rm.ScopeMetrics {
			for _, m := range sm.Metrics {
				if err := d.metric(resource, m); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	return d.series, d.meta, nil
}

// otlp collects the series of an export.
type otlp struct {
	series []Series
	meta   map[string]query.Meta
	got    collected
}

func (d *otlp) metric(resource []string, m *metricspb.Metric) error {
	if m.Name == "" || len(m.Name) > MaxMetric {
		return fmt.Errorf("a metric needs a name of at most %d characters", MaxMetric)
	}
	if len(m.Unit) > MaxUnit {
		return fmt.Errorf("the unit of %s is longer than %d bytes", m.Name, MaxUnit)
	}
	m.Name = clean(m.Name)
	meta := query.Meta{Type: query.Gauge, Unit: unitName(clean(m.Unit))}
	switch v := m.Data.(type) {
	case *metricspb.Metric_Gauge:
		return d.numbers(m.Name, resource, meta, v.Gauge.GetDataPoints())
	case *metricspb.Metric_Sum:
		if v.Sum.GetAggregationTemporality() == deltaTemporality {
			meta.Type = query.Count
		}
		return d.numbers(m.Name, resource, meta, v.Sum.GetDataPoints())
	case *metricspb.Metric_Histogram:
		delta := v.Histogram.GetAggregationTemporality() == deltaTemporality
		for _, p := range v.Histogram.GetDataPoints() {
			err := d.histogram(m.Name, resource, p.GetAttributes(), meta, delta, histogramPoint{
				at: p.GetTimeUnixNano(), count: float64(p.GetCount()), sum: p.GetSum(),
				sketch: func() *query.Sketch { return explicitSketch(p) },
			})
			if err != nil {
				return err
			}
		}
	case *metricspb.Metric_ExponentialHistogram:
		delta := v.ExponentialHistogram.GetAggregationTemporality() == deltaTemporality
		for _, p := range v.ExponentialHistogram.GetDataPoints() {
			err := d.histogram(m.Name, resource, p.GetAttributes(), meta, delta, histogramPoint{
				at: p.GetTimeUnixNano(), count: float64(p.GetCount()), sum: p.GetSum(),
				sketch: func() *query.Sketch { return exponentialSketch(p) },
			})
			if err != nil {
				return err
			}
		}
	case *metricspb.Metric_Summary:
		for _, p := range v.Summary.GetDataPoints() {
			point := histogramPoint{at: p.GetTimeUnixNano(), count: float64(p.GetCount()), sum: p.GetSum()}
			if err := d.histogram(m.Name, resource, p.GetAttributes(), meta, false, point); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *otlp) numbers(name string, resource []string, meta query.Meta, points []*metricspb.NumberDataPoint) error {
	for _, p := range points {
		v := p.GetAsDouble()
		if i, ok := p.GetValue().(*metricspb.NumberDataPoint_AsInt); ok {
			v = float64(i.AsInt)
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		tags, err := attributes(resource, p.GetAttributes())
		if err == nil {
			err = d.add(name, tags, meta, Sample{Ms: nanos(p.GetTimeUnixNano()), Value: v})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// histogramPoint is what the three kinds of histogram have in common.
type histogramPoint struct {
	at         uint64
	count, sum float64
	sketch     func() *query.Sketch
}

func (d *otlp) histogram(
	name string, resource []string, own []*commonpb.KeyValue, meta query.Meta, delta bool, p histogramPoint,
) error {
	tags, err := attributes(resource, own)
	if err != nil {
		return err
	}
	if delta {
		meta.Type = query.DistribType
		if p.count > 0 {
			err = d.add(name, tags, meta, Sample{Ms: nanos(p.at), Sketch: collapsed(p.sketch())})
		}
		return err
	}
	err = d.add(name+".count", tags, query.Meta{Type: query.Gauge}, Sample{Ms: nanos(p.at), Value: p.count})
	if err == nil && !math.IsNaN(p.sum) && !math.IsInf(p.sum, 0) {
		err = d.add(name+".sum", tags, meta, Sample{Ms: nanos(p.at), Value: p.sum})
	}
	return err
}

func (d *otlp) add(name string, tags []string, meta query.Meta, p Sample) error {
	if !sane(p.Ms) {
		return nil
	}
	if err := d.got.add(tags, 1); err != nil {
		return err
	}
	d.meta[name] = meta
	d.series = append(d.series, Series{Metric: name, Tags: tags, Samples: []Sample{p}})
	return nil
}

// explicitSketch places the values of a bucket in its middle.
func explicitSketch(p *metricspb.HistogramDataPoint) *query.Sketch {
	sk := query.NewSketch()
	for i, n := range p.BucketCounts {
		if n == 0 || len(p.ExplicitBounds) == 0 {
			continue
		}
		var v float64
		switch {
		case i == 0:
			v = p.ExplicitBounds[0]
		case i >= len(p.ExplicitBounds):
			v = p.ExplicitBounds[len(p.ExplicitBounds)-1]
		default:
			v = (p.ExplicitBounds[i-1] + p.ExplicitBounds[i]) / 2
		}
		sk.AddN(v, float64(n))
	}
	sk.Count, sk.Sum = float64(p.Count), p.GetSum()
	return sk
}

// exponentialSketch maps the buckets, whose base is a power of two like ours.
func exponentialSketch(p *metricspb.ExponentialHistogramDataPoint) *query.Sketch {
	sk := query.NewSketch()
	middle := func(index int32) float64 {
		return math.Exp2((float64(index) + 0.5) * math.Exp2(-float64(p.Scale)))
	}
	for i, n := range p.GetPositive().GetBucketCounts() {
		if n > 0 {
			sk.AddN(middle(p.GetPositive().GetOffset()+int32(i)), float64(n))
		}
	}
	for i, n := range p.GetNegative().GetBucketCounts() {
		if n > 0 {
			sk.AddN(-middle(p.GetNegative().GetOffset()+int32(i)), float64(n))
		}
	}
	sk.Count, sk.Sum, sk.Zero = float64(p.Count), p.GetSum(), float64(p.ZeroCount)
	return sk
}

// attributes appends tags to a copy of base.
func attributes(base []string, list []*commonpb.KeyValue) ([]string, error) {
	out := slices.Clip(slices.Clone(base))
	for _, kv := range list {
		var v string
		switch x := kv.GetValue().GetValue().(type) {
		case *commonpb.AnyValue_StringValue:
			v = x.StringValue
		case *commonpb.AnyValue_BoolValue:
			v = strconv.FormatBool(x.BoolValue)
		case *commonpb.AnyValue_IntValue:
			v = strconv.FormatInt(x.IntValue, 10)
		case *commonpb.AnyValue_DoubleValue:
			v = strconv.FormatFloat(x.DoubleValue, 'g', -1, 64)
		default:
			continue
		}
		if len(kv.GetKey()) > MaxTag || len(v) > MaxLabel {
			return nil, fmt.Errorf("an attribute has a key of at most %d and a value of at most %d bytes", MaxTag,
				MaxLabel)
		}
		if kv.Key != "" && v != "" && len(out) < MaxTags {
			out = append(out, clean(strings.ToLower(kv.Key)+":"+v))
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// unitName turns UCUM codes into the words that axes know.
func unitName(u string) string {
	switch u {
	case "By":
		return "byte"
	case "s":
		return "second"
	case "ms":
		return "millisecond"
	case "us":
		return "microsecond"
	case "ns":
		return "nanosecond"
	case "%":
		return "percent"
	case "By/s":
		return "byte/second"
	default:
		return strings.Trim(u, "{}")
	}
}

// nanos converts OpenTelemetry times to milliseconds.
func nanos(t uint64) int64 { return int64(t / uint64(time.Millisecond)) }

// EncodeOTLP is the answer to an export: an empty message, or how many points
// were not stored, and why.
func EncodeOTLP(rejected int, reason string, isJSON bool) ([]byte, error) {
	switch {
	case isJSON && rejected == 0:
		return []byte("{}"), nil
	case isJSON:
		return wire.EncodeJSON(map[string]any{"partialSuccess": map[string]any{
			"rejectedDataPoints": strconv.Itoa(rejected), "errorMessage": reason,
		}})
	case rejected == 0:
		return nil, nil
	}
	var part []byte
	part = protowire.AppendVarint(protowire.AppendTag(part, 1, protowire.VarintType), uint64(rejected))
	part = protowire.AppendString(protowire.AppendTag(part, 2, protowire.BytesType), reason)
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), part), nil
}
