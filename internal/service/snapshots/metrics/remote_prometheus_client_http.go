//go:build !small

package metrics

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/snappy"
	"github.com/prometheus/prometheus/prompb"

	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Remote is a store behind a Prometheus-compatible address: points go there by
// remote write and come back by its query interface. It has no distributions;
// they are written as their count, sum, least and greatest value.
type Remote struct {
	base   string
	client *http.Client
}

// remoteTimeout bounds one call; remoteBytes one answer.
const (
	remoteTimeout = 30 * time.Second
	remoteBytes   = 32 << 20
)

// NewRemote returns a store at base that is reached through the gate. Nothing
// is sent before its first use.
func NewRemote(base string, gate *outbound.Gate) *Remote {
	transport := gate.Transport(outbound.Options{})
	transport.MaxIdleConnsPerHost = 8
	return &Remote{
		base: strings.TrimSuffix(base, "/"), client: &http.Client{Timeout: remoteTimeout, Transport: transport},
	}
}

// Close ends idle connections.
func (r *Remote) Close() error {
	r.client.CloseIdleConnections()
	return nil
}

// Write sends points and returns when the other side has taken them.
func (r *Remote) Write(ctx context.Context, org string, list []Series) (Written, error) {
	var req prompb.WriteRequest
	var w Written
	for i := range list {
		for _, part := range split(&list[i]) {
			req.Timeseries = append(req.Timeseries, toPrompb(org, part))
			w.Stored += len(part.Samples)
		}
	}
	if w.Stored == 0 {
		return w, nil
	}
	b, err := req.Marshal()
	if err != nil {
		return Written{}, err
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, r.base+"/api/v1/write", bytes.NewReader(
		snappy.Encode(nil, b),
	))
	if err != nil {
		return Written{}, err
	}
	q.Header.Set("Content-Type", "application/x-protobuf")
	q.Header.Set("Content-Encoding", "snappy")
	q.Header.Set("X-Prometheus-Remote-Write-Version", "0.1.0")
	_, err = r.do(q, nil)
	if err != nil {
		return Written{}, fmt.Errorf("write to the metrics backend: %w", err)
	}
	return w, nil
}

// split turns distributions into plain series.
func split(s *Series) []Series {
	plain := Series{Metric: s.Metric, Tags: s.Tags}
	parts := map[string]*Series{}
	for _, p := range s.Samples {
		if p.Sketch == nil {
			plain.Samples = append(plain.Samples, p)
			continue
		}
		for name, v := range map[string]float64{
			"count": p.Sketch.Count, "sum": p.Sketch.Sum, "min": p.Sketch.Quantile(0), "max": p.Sketch.Quantile(1),
		} {
			if parts[name] == nil {
				parts[name] = &Series{Metric: s.Metric + "." + name, Tags: s.Tags}
			}
			parts[name].Samples = append(parts[name].Samples, Sample{Ms: p.Ms, Value: v})
		}
	}
	var out []Series
	if len(plain.Samples) > 0 {
		out = append(out, plain)
	}
	for _, name := range []string{"count", "max", "min", "sum"} {
		if parts[name] != nil {
			out = append(out, *parts[name])
		}
	}
	return out
}

func toPrompb(org string, s Series) prompb.TimeSeries {
	ts := prompb.TimeSeries{Labels: prompb.FromLabels(toLabels(org, s.Metric, s.Tags), nil)}
	slices.SortStableFunc(s.Samples, func(a, b Sample) int { return int(a.Ms - b.Ms) })
	for _, p := range s.Samples {
		ts.Samples = append(ts.Samples, prompb.Sample{Timestamp: p.Ms, Value: p.Value})
	}
	return ts
}

// answer is the envelope of the query interface.
type answer struct {
	Status string          `json:"status"`
	Error  string          `json:"error"`
	Data   json.RawMessage `json:"data"`
}

// get asks the query interface with a form, which has no length limit.
func (r *Remote) get(ctx context.Context, path string, form url.Values, reserve ReserveMemory, dst any) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, r.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	b, err := r.do(q, reserve)
	var large *query.Error
	var none *weighError
	switch {
	case errors.As(err, &none):
		return none.cause
	case errors.As(err, &large):
		return large
	case errors.Is(err, ErrUnavailable):
		return fmt.Errorf("ask the metrics backend: %w", err)
	}
	var a answer
	if bad := json.Unmarshal(b, &a); bad == nil && a.Status == "error" {
		return &query.Error{Reason: a.Error, Line: 1, Column: 1}
	}
	if err != nil {
		return fmt.Errorf("ask the metrics backend: %w", err)
	}
	return json.Unmarshal(a.Data, dst)
}

// remoteWeight is the memory that a byte of an answer takes: itself as it is read
// and copied, and what it becomes.
const remoteWeight = 4

// weighError means that there is no memory for an answer.
type weighError struct{ cause error }

func (e *weighError) Error() string { return "read the answer: " + e.cause.Error() }
func (e *weighError) Unwrap() error { return e.cause }

// weighed takes memory for what it reads.
type weighed struct {
	io.Reader
	reserve ReserveMemory
}

func (w weighed) Read(b []byte) (int, error) {
	n, err := w.Reader.Read(b)
	if n > 0 && w.reserve != nil {
		if refused := w.reserve(int64(n) * remoteWeight); refused != nil {
			return 0, &weighError{refused}
		}
	}
	return n, err
}

// do sends a request and reads the answer, for which reserve takes memory.
func (r *Remote) do(q *http.Request, reserve ReserveMemory) ([]byte, error) {
	res, err := r.client.Do(q)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer func() { _ = res.Body.Close() }() // it was read or is given up
	b, err := io.ReadAll(weighed{io.LimitReader(res.Body, remoteBytes+1), reserve})
	var none *weighError
	if errors.As(err, &none) {
		return nil, err
	}
	if len(b) > remoteBytes {
		return nil, &query.Error{
			Reason: fmt.Sprintf("the metrics backend answers with more than %d bytes; narrow the scope", remoteBytes),
			Line:   1, Column: 1,
		}
	}
	if err == nil && res.StatusCode/100 != 2 {
		err = fmt.Errorf("%s answered %s: %.200s", q.URL.Path, res.Status, b)
	}
	if res.StatusCode >= http.StatusInternalServerError || res.StatusCode == http.StatusTooManyRequests {
		err = fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return b, err
}

// matrix is a list of series with points of [seconds, "value"].
type matrix struct {
	Result []struct {
		Metric map[string]string `json:"metric"`
		Values []remotePoint     `json:"values"`
	} `json:"result"`
}

// remotePoint reads itself, so that a list of them takes no more memory than its
// text.
type remotePoint struct {
	ms int64
	v  float64
}

// UnmarshalJSON leaves the value NaN where it is no number.
func (p *remotePoint) UnmarshalJSON(b []byte) error {
	first, second, ok := bytes.Cut(bytes.Trim(b, "[] \t\r\n"), []byte(","))
	seconds, err := strconv.ParseFloat(string(bytes.TrimSpace(first)), 64)
	if !ok || err != nil {
		return fmt.Errorf("%.40q is not a point", b)
	}
	p.ms = int64(math.Round(seconds * 1000))
	if p.v, err = strconv.ParseFloat(string(bytes.Trim(second, "\" ")), 64); err != nil {
		p.v = math.NaN()
	}
	return nil
}

// Select reads raw points with a range selector.
func (r *Remote) Select(
	ctx context.Context, org string, s query.Selection, each func(query.Tags, query.Samples) error,
) error {
	span := max(1, (s.To-s.From)/1000)
	selector := fmt.Sprintf("{%s}[%ds]", selectorOf(org, s), span)
	var m matrix
	form := url.Values{"query": {selector}, "time": {strconv.FormatFloat(float64(s.To-1)/1000, 'f', 3, 64)}}
	if err := r.get(ctx, "/api/v1/query", form, s.Reserve, &m); err != nil {
		return err
	}
	for _, series := range m.Result {
		tags := mapTags(series.Metric)
		if !s.Scope.Match(tags) {
			continue
		}
		if err := each(tags, newPointSamples(series.Values, s.From, s.To)); err != nil {
			return err
		}
	}
	return nil
}

func selectorOf(org string, s query.Selection) string {
	var parts []string
	for _, m := range matchers(org, s.Metric, s.Scope, nil) {
		parts = append(parts, strconv.Quote(m.Name)+m.Type.String()+strconv.Quote(m.Value))
	}
	return strings.Join(parts, ",")
}

// mapTags answers from the labels of an answer.
type mapTags map[string]string

// Values splits like the embedded store does.
func (t mapTags) Values(key string) []string { return splitValue(t[labelName(key)]) }

func (t mapTags) all() (list []string) {
	for name, value := range t {
		list = append(list, labelTagList(name, value)...)
	}
	return list
}

// pointSamples walks the points of an answer.
type pointSamples struct {
	at []int64
	v  []float64
	i  int
}

func newPointSamples(values []remotePoint, from, to int64) *pointSamples {
	p := &pointSamples{i: -1}
	for _, one := range values {
		if !math.IsNaN(one.v) && one.ms >= from && one.ms < to {
			p.at, p.v = append(p.at, one.ms), append(p.v, one.v)
		}
	}
	return p
}

func (p *pointSamples) Next() bool            { p.i++; return p.i < len(p.at) }
func (p *pointSamples) At() (int64, float64)  { return p.at[p.i], p.v[p.i] }
func (p *pointSamples) Sketch() *query.Sketch { return nil }
func (p *pointSamples) Err() error            { return nil }

// Names lists metrics.
func (r *Remote) Names(
	ctx context.Context, org string, from, to int64, tag string, reserve ReserveMemory,
) ([]string, error) {
	var scope query.Filter = query.Everything{}
	if key, value, ok := strings.Cut(strings.ToLower(tag), ":"); ok {
		scope = query.Has{Key: key, Value: value}
	}
	var names []string
	form := url.Values{
		"match[]": {"{" + selectorOf(org, query.Selection{Scope: scope}) + "}"},
		"start":   {strconv.FormatInt(from/1000, 10)}, "end": {strconv.FormatInt(to/1000, 10)},
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodGet,
		r.base+"/api/v1/label/"+nameLabel+"/values?"+form.Encode(), nil)
	if err != nil {
		return nil, err
	}
	b, err := r.do(q, reserve)
	if err != nil {
		return nil, err
	}
	var a answer
	if err := json.Unmarshal(b, &a); err != nil {
		return nil, err
	}
	return names, json.Unmarshal(a.Data, &names)
}

// PromQL is refused: an expression cannot be confined to one organization on
// the other side, and nothing of one may reach another.
func (r *Remote) PromQL(_ context.Context, _, text string, at query.Range, _ ReserveMemory) ([]query.Series, error) {
	return nil, r.CheckPromQL(text, at)
}

// CheckPromQL says so before anything is stored.
func (r *Remote) CheckPromQL(string, query.Range) error {
	return &query.Error{
		Reason: "PromQL is not available with a remote backend, because it cannot be confined to one organization " +
			"there; ask the backend itself",
		Line: 1, Column: 1,
	}
}
