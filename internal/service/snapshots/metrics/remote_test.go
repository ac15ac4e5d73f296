//go:build !small

package metrics_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/prometheus/prometheus/prompb"

	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// prometheus is the other side: it keeps what is written and answers every
// query with all of it, in the form of the public interface.
type prometheus struct {
	mu      sync.Mutex
	written []prompb.TimeSeries
	asked   []string
	fail    bool
	busy    bool
}

func (p *prometheus) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.busy:
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprint(w, `{"status":"error","errorType":"timeout","error":"query timed out"}`)
	case p.fail && strings.HasSuffix(r.URL.Path, "/query"):
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"status":"error","errorType":"bad_data","error":"too many samples"}`)
	case p.fail:
		http.Error(w, "the disk is full", http.StatusServiceUnavailable)
	case r.URL.Path == "/prom/api/v1/write":
		packed, _ := io.ReadAll(r.Body)
		b, err := snappy.Decode(nil, packed)
		var req prompb.WriteRequest
		if err == nil {
			err = req.Unmarshal(b)
		}
		if err != nil || r.Header.Get("Content-Encoding") != "snappy" {
			http.Error(w, fmt.Sprint(err), http.StatusBadRequest)
			return
		}
		p.written = append(p.written, req.Timeseries...)
		w.WriteHeader(http.StatusNoContent)
	case r.URL.Path == "/prom/api/v1/query":
		p.asked = append(p.asked, r.FormValue("query")+" @ "+r.FormValue("time"))
		p.matrix(w)
	case r.URL.Path == "/prom/api/v1/label/__name__/values":
		p.asked = append(p.asked, r.FormValue("match[]"))
		fmt.Fprint(w, `{"status":"success","data":["cpu","mem"]}`)
	default:
		http.NotFound(w, r)
	}
}

func (p *prometheus) matrix(w io.Writer) {
	type series struct {
		Metric map[string]string `json:"metric"`
		Values [][2]any          `json:"values"`
	}
	var list []series
	for _, ts := range p.written {
		s := series{Metric: map[string]string{}}
		for _, l := range ts.Labels {
			s.Metric[l.Name] = l.Value
		}
		for _, v := range ts.Samples {
			s.Values = append(s.Values, [2]any{float64(v.Timestamp) / 1000, fmt.Sprint(v.Value)})
		}
		list = append(list, s)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"status": "success", "data": map[string]any{"resultType": "matrix", "result": list},
	})
}

func TestRemote(t *testing.T) {
	t.Parallel()
	p := &prometheus{}
	server := httptest.NewServer(p)
	defer server.Close()
	r := metrics.NewRemote(server.URL+"/prom/", nil)
	defer func() { _ = r.Close() }()
	sk := query.NewSketch()
	sk.AddN(4, 3)
	w, err := r.Write(t.Context(), "o1", []metrics.Series{
		{
			Metric: "cpu", Tags: []string{"host:a", "role:x", "role:y"},
			Samples: []metrics.Sample{sample(2000, 2), sample(1000, 1)},
		},
		{Metric: "lat", Samples: []metrics.Sample{{Ms: start, Sketch: sk}}},
	})
	if err != nil || w.Stored != 6 {
		t.Fatalf("write = %+v, %v, want two points and four parts of a distribution", w, err)
	}
	var got []string
	sel := query.Selection{Metric: "cpu", Scope: query.Has{Key: "role", Value: "y"}, From: start, To: start + 3_600_000}
	err = r.Select(t.Context(), "o1", sel, func(tags query.Tags, s query.Samples) error {
		line := strings.Join(tags.Values("host"), "|")
		for s.Next() {
			ms, v := s.At()
			line += fmt.Sprintf(" %d=%g", ms-start, v)
		}
		got = append(got, line)
		return s.Err()
	})
	if err != nil || strings.Join(got, ";") != "a 1000=1 2000=2" {
		t.Errorf("select = %q, %v", got, err)
	}
	if names, err := r.Names(t.Context(), "o1", start, start, "", nil); err != nil ||
		strings.Join(names, ",") != "cpu,mem" {
		t.Errorf("names = %v, %v", names, err)
	}
	for _, asked := range p.asked {
		if !strings.Contains(asked, `"__org__"="o1"`) {
			t.Errorf("%s is not confined to the organization", asked)
		}
	}
	if !strings.Contains(p.asked[0], `"__name__"="cpu"`) || !strings.Contains(p.asked[0], "[3600s]") {
		t.Errorf("asked %s", p.asked[0])
	}
	if _, err := r.PromQL(t.Context(), "o1", "up", query.Range{}, nil); err == nil {
		t.Error("PromQL was not refused")
	}
}

func TestRemoteFailures(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&prometheus{fail: true})
	defer server.Close()
	r := metrics.NewRemote(server.URL+"/prom", nil)
	defer func() { _ = r.Close() }()
	_, err := r.Write(t.Context(), "o1", []metrics.Series{{Metric: "m", Samples: []metrics.Sample{sample(0, 1)}}})
	if err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("write = %v, want the other side's refusal", err)
	}
	err = r.Select(t.Context(), "o1", query.Selection{Metric: "m", Scope: query.Everything{}, To: 1000}, nil)
	if bad, ok := err.(*query.Error); !ok || bad.Reason != "too many samples" {
		t.Errorf("select = %v, want the other side's reason", err)
	}
}

// TestRemoteUnavailable: a store that does not answer, or cannot now, is told apart from a bad query.
func TestRemoteUnavailable(t *testing.T) {
	t.Parallel()
	busy := httptest.NewServer(&prometheus{busy: true})
	defer busy.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	for name, address := range map[string]string{"busy": busy.URL + "/prom", "gone": gone.URL} {
		r := metrics.NewRemote(address, nil)
		defer func() { _ = r.Close() }()
		_, err := r.Write(t.Context(), "o1", []metrics.Series{{Metric: "m", Samples: []metrics.Sample{sample(0, 1)}}})
		if !errors.Is(err, metrics.ErrUnavailable) {
			t.Errorf("%s: write = %v", name, err)
		}
		err = r.Select(t.Context(), "o1", query.Selection{Metric: "m", Scope: query.Everything{}, To: 1000}, nil)
		if !errors.Is(err, metrics.ErrUnavailable) {
			t.Errorf("%s: select = %v", name, err)
		}
		if _, err := r.Names(t.Context(), "o1", 0, 1, "", nil); !errors.Is(err, metrics.ErrUnavailable) {
			t.Errorf("%s: names = %v", name, err)
		}
	}
}

// An answer takes memory while it is read; without any the reading ends.
func TestRemoteTakesMemory(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"status":"success","data":[`)
		for range 1 << 20 {
			if _, err := io.WriteString(w, `"0123456789",`); err != nil {
				return
			}
		}
		fmt.Fprint(w, `"x"]}`)
	}))
	defer server.Close()
	r := metrics.NewRemote(server.URL, nil)
	defer func() { _ = r.Close() }()
	busy := errors.New("busy")
	const most = 1 << 20
	var taken int64
	reserve := func(n int64) error {
		if taken += n; taken > most {
			return busy
		}
		return nil
	}
	if _, err := r.Names(t.Context(), "o1", 0, 1, "", reserve); !errors.Is(err, busy) || taken <= most || taken > 2*most {
		t.Errorf("names = %v after %d bytes, want the refusal after %d", err, taken, most)
	}
	taken = 0
	sel := query.Selection{Metric: "m", Scope: query.Everything{}, To: 1000, Reserve: reserve}
	if err := r.Select(t.Context(), "o1", sel, nil); !errors.Is(err, busy) || taken <= most || taken > 2*most {
		t.Errorf("select = %v after %d bytes, want the refusal after %d", err, taken, most)
	}
}
