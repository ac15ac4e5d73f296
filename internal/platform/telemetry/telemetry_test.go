package telemetry_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/telemetry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const canary = "canary-da39a3ee5e6b"

func TestRedaction(t *testing.T) {
	t.Parallel()
	for _, format := range []telemetry.Format{telemetry.Text, telemetry.JSON} {
		var out bytes.Buffer
		tel, err := telemetry.New(telemetry.Options{Log: &out, Format: format})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{
			"authorization", "Authorization", "token", "access_token", "accessToken", "refreshToken", "secret", "client_secret",
			"clientSecret", "password", "Password", "key", "apiKey", "api_key", "API-Key", "private.key", "code", "user_code",
			"deviceCode", "cookie", "Set-Cookie", "credential",
		} {
			tel.Log.Info("m", name, canary)
			tel.Log.With(name, canary).Info("m")
			tel.Log.WithGroup("g").Info("m", slog.Group("inner", slog.String(name, canary), slog.Int("n", 1)))
		}
		if i := strings.Index(out.String(), canary); i >= 0 {
			t.Errorf("%s: a secret is in the log: …%s", format, out.String()[max(0, i-120):i+10])
		}
	}
}

func TestHarmlessNamesStayReadable(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	tel := telemetry.To(&out)
	names := []string{"monkey", "encode", "status_code", "errorCode", "codec", "keyboard", "tokenizer", "request",
		"keys_total", "service"}
	for _, name := range names {
		tel.Log.Info("m", name, "seen-"+name)
	}
	for _, name := range names {
		if !strings.Contains(out.String(), "seen-"+name) {
			t.Errorf("%s is masked, want it readable", name)
		}
	}
}

func TestMaskQuery(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                  "",
		"a=1&b=2":                           "a=1&b=2",
		"key=x":                             "key=***",
		"a=1&key=x&b=2":                     "a=1&key=***&b=2",
		"next=%2Fa%3Fb%3D1%26token%3Dx&c=2": "next=%2Fa%3Fb%3D1%26token%3D%2A%2A%2A&c=2",
		"next=/a%3fb=1":                     "next=/a%3fb=1",
		"access_token=x&token=y":            "access_token=***&token=***",
		"pipeline-token=x":                  "pipeline-token=***",
		"code=x&state=y":                    "code=***&state=***",
		"upload_id=NA14&a=b":                "upload_id=***&a=b",
		"client_secret=x;api_key=y":         "client_secret=***;api_key=***",
		"application_key=x=y=z":             "application_key=***",
		"KEY=x&%6bey=y&k%65y=z":             "KEY=***&%6bey=***&k%65y=***",
		"key":                               "key",
		"status_code=200&q=monkey&token=":   "status_code=200&q=monkey&token=***",
		"%zz=1&key=x":                       "%zz=1&key=***",
		"page_token=CAE&pageToken=x&page=":  "page_token=***&pageToken=***&page=",
	} {
		if got := telemetry.MaskQuery(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestAccessModes(t *testing.T) {
	t.Parallel()
	for mode, want := range map[telemetry.AccessMode]int{"": 2, telemetry.AccessAll: 2, telemetry.AccessErrors: 1,
		telemetry.AccessOff: 0} {
		var out bytes.Buffer
		tel, err := telemetry.New(telemetry.Options{Log: &out, Access: mode})
		if err != nil {
			t.Fatal(err)
		}
		for _, status := range []int{200, 404} {
			tel.Record(context.Background(), &telemetry.Entry{Service: "tasks", Route: "GetTask", Method: "GET", Path: "/x",
				Status: status, ID: "r1", Caller: "user:ann"}, "a=1&key="+canary)
		}
		if got := strings.Count(out.String(), "msg=request"); got != want {
			t.Errorf("%q: %d lines, want %d:\n%s", mode, got, want, &out)
		}
		if strings.Contains(out.String(), canary) || (want > 0 && !strings.Contains(out.String(), "a=1&key=***")) {
			t.Errorf("%q: the query is not masked:\n%s", mode, &out)
		}
	}
}

func TestBadOptions(t *testing.T) {
	t.Parallel()
	_, err := telemetry.New(telemetry.Options{Format: "xml", Access: "some"})
	if err == nil || !strings.Contains(err.Error(), "text or json") ||
		!strings.Contains(err.Error(), "all, errors or off") {
		t.Errorf("got %v, want both faults with what would work", err)
	}
}

func TestRecentIsBoundedAndNewestFirst(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	tel, err := telemetry.New(telemetry.Options{Log: &bytes.Buffer{}, Access: telemetry.AccessOff,
		Clock: clock.NewVirtual(now)})
	if err != nil {
		t.Fatal(err)
	}
	if got := tel.Recent(); len(got) != 0 {
		t.Errorf("at first: got %v, want none", got)
	}
	for i := range telemetry.RecentSize + 50 {
		tel.Record(context.Background(), &telemetry.Entry{Status: i}, "")
	}
	got := tel.Recent()
	if len(got) != telemetry.RecentSize || got[0].Status != telemetry.RecentSize+49 || got[len(got)-1].Status != 50 {
		t.Errorf("got %d entries from %d to %d", len(got), got[0].Status, got[len(got)-1].Status)
	}
	if !got[0].Time.Equal(now) {
		t.Errorf("time: got %v, want %v", got[0].Time, now)
	}
}

func TestLongPathsAreCut(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	tel := telemetry.To(&out)
	long := "/" + strings.Repeat("x", 100000)
	tel.Record(context.Background(), &telemetry.Entry{Path: long, Status: 404}, strings.Repeat("key=y&", 100000))
	if out.Len() > 4000 || len(tel.Recent()[0].Path) > 1000 {
		t.Errorf("log line of %d bytes, recent path of %d", out.Len(), len(tel.Recent()[0].Path))
	}
}

func scrape(t *testing.T, tel *telemetry.Telemetry) string {
	t.Helper()
	rec := httptest.NewRecorder()
	tel.Handler().ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
	return rec.Body.String()
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	one, two := telemetry.Nop(), telemetry.Nop()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			m := one.Route("tasks", "GetTask")
			for range 100 {
				m.Observe(200, 3*time.Millisecond)
			}
		})
	}
	wg.Wait()
	one.Request("tasks", "GetTask", 404, time.Second)
	one.Request("tasks", "GetTask", 499, time.Second)
	one.Request("tasks", "GetTask", 999, time.Second)
	one.Samples("stoa_test_total", "Tests.", []string{"kind"}, func() []telemetry.Sample {
		return []telemetry.Sample{{Labels: []string{"unit"}, Value: 2}}
	})
	one.Samples("stoa_test_depth", "Depth.", nil, func() []telemetry.Sample { return []telemetry.Sample{{Value: 7}} })
	text := scrape(t, one)
	for _, want := range []string{
		`stoa_http_requests_total{route="GetTask",service="tasks",status="2xx"} 800`,
		`stoa_http_requests_total{route="GetTask",service="tasks",status="4xx"} 1`,
		`stoa_http_requests_total{route="GetTask",service="tasks",status="gone"} 1`,
		`stoa_http_requests_total{route="GetTask",service="tasks",status="other"} 1`,
		`stoa_http_request_seconds_bucket{route="GetTask",service="tasks",status="2xx",le="0.0025"} 0`,
		`stoa_http_request_seconds_bucket{route="GetTask",service="tasks",status="2xx",le="0.005"} 800`,
		`stoa_test_total{kind="unit"} 2`, `stoa_test_depth 7`, "go_goroutines", "process_",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("metrics lack %s", want)
		}
	}
	if strings.Contains(scrape(t, two), "GetTask") {
		t.Error("two instances share their metrics")
	}
}

func TestTracesAreOffByDefault(t *testing.T) {
	t.Parallel()
	tel := telemetry.Nop()
	ctx, span := tel.StartSpan(context.Background(), "x",
		http.Header{"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}})
	span.Set("a", "b")
	span.End("failed")
	if tel.Tracing() || span != nil || ctx != context.Background() {
		t.Errorf("got %v, %v, %v, want nothing", tel.Tracing(), span, ctx)
	}
	if err := tel.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

func BenchmarkObserve(b *testing.B) {
	m := telemetry.Nop().Route("tasks", "GetTask")
	b.ReportAllocs()
	for b.Loop() {
		m.Observe(200, time.Millisecond)
	}
}

func BenchmarkRecord(b *testing.B) {
	tel := telemetry.Nop()
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		e := telemetry.Entry{Time: time.Unix(0, 0), Service: "tasks", Route: "GetTask", Method: "GET", Path: "/x",
			Status: 200}
		tel.Record(ctx, &e, "a=1")
	}
}

func BenchmarkAccessLine(b *testing.B) {
	tel, err := telemetry.New(telemetry.Options{Log: discard{}})
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		e := telemetry.Entry{Time: time.Unix(0, 0), Service: "tasks", Route: "GetTask", Method: "GET", Path: "/x",
			Status: 200, ID: "0123456789abcdef"}
		tel.Record(ctx, &e, "")
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
