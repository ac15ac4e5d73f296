package snapshots_test

import (
	"bytes"
	"context"
	"image/png"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/DataDog/datadog-api-client-go/v2/api/datadog"
	"github.com/DataDog/datadog-api-client-go/v2/api/datadogV1"

	"stoa.dev/stoa/test/sdk/world"
)

// client aims the official client at the server by its own means.
func client(env map[string]string) (context.Context, *datadog.APIClient) {
	ctx := context.WithValue(context.Background(), datadog.ContextServerIndex, 1)
	ctx = context.WithValue(ctx, datadog.ContextServerVariables, map[string]string{
		"name": strings.TrimPrefix(env["STOA_URL"], "http://"), "protocol": "http",
	})
	ctx = context.WithValue(ctx, datadog.ContextAPIKeys, map[string]datadog.APIKey{
		"apiKeyAuth": {Key: env["STOA_API_KEY"]}, "appKeyAuth": {Key: env["STOA_APP_KEY"]},
	})
	return ctx, datadog.NewAPIClient(datadog.NewConfiguration())
}

// fetch polls a picture until it is there.
func fetch(t *testing.T, url string) (w, h int) {
	t.Helper()
	for began := time.Now(); time.Since(began) < 30*time.Second; time.Sleep(50 * time.Millisecond) {
		res, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		var body bytes.Buffer
		_, err = body.ReadFrom(res.Body)
		_ = res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode == http.StatusAccepted {
			if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil {
				time.Sleep(time.Duration(seconds) * time.Second)
			}
			continue
		}
		img, err := png.Decode(&body)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %v", url, res.Status, err)
		}
		return img.Bounds().Dx(), img.Bounds().Dy()
	}
	t.Fatalf("%s is not ready", url)
	return 0, 0
}

func TestOfficialGoClient(t *testing.T) {
	env := world.Serve(t, world.Options{}).Env
	ctx, api := client(env)
	now := time.Now().Unix()

	valid, _, err := datadogV1.NewAuthenticationApi(api).Validate(ctx)
	if err != nil || !valid.GetValid() {
		t.Fatalf("validate: %v, %v", valid, err)
	}

	metrics := datadogV1.NewMetricsApi(api)
	body := datadogV1.MetricsPayload{Series: []datadogV1.Series{{
		Metric: "sdk.load", Type: datadog.PtrString("gauge"), Tags: []string{"env:test"}, Host: datadog.PtrString("h1"),
		Points: [][]*float64{
			{datadog.PtrFloat64(float64(now - 60)), datadog.PtrFloat64(1.5)},
			{datadog.PtrFloat64(float64(now)), datadog.PtrFloat64(2.5)},
		},
	}}}
	for _, encoding := range []datadogV1.MetricContentEncoding{
		datadogV1.METRICCONTENTENCODING_GZIP, datadogV1.METRICCONTENTENCODING_DEFLATE,
	} {
		got, _, err := metrics.SubmitMetrics(ctx, body,
			*datadogV1.NewSubmitMetricsOptionalParameters().WithContentEncoding(encoding))
		if err != nil || got.GetStatus() != "ok" {
			t.Fatalf("submit with %s: %v, %v", encoding, got, err)
		}
	}

	got, _, err := metrics.QueryMetrics(ctx, now-600, now+60, "avg:sdk.load{env:test} by {host}")
	if err != nil {
		t.Fatal(err)
	}
	if got.GetStatus() != "ok" || len(got.GetSeries()) != 1 {
		t.Fatalf("query: %+v", got)
	}
	series := got.GetSeries()[0]
	if series.GetScope() != "host:h1,env:test" || len(series.GetPointlist()) != 2 || *series.GetPointlist()[1][1] != 2.5 ||
		series.GetInterval() != 5 {
		t.Errorf("series: scope %q, points %d, interval %d", series.GetScope(), len(series.GetPointlist()),
			series.GetInterval())
	}

	points := datadogV1.DistributionPointsPayload{Series: []datadogV1.DistributionPointsSeries{{
		Metric: "sdk.latency",
		Points: [][]datadogV1.DistributionPointItem{{
			{DistributionPointTimestamp: datadog.PtrFloat64(float64(now))}, {DistributionPointData: &[]float64{1, 2, 3}},
		}},
	}}}
	if _, _, err := metrics.SubmitDistributionPoints(ctx, points); err != nil {
		t.Fatalf("distribution: %v", err)
	}

	percent := datadogV1.MetricMetadata{Unit: datadog.PtrString("percent")}
	edited, _, err := metrics.UpdateMetricMetadata(ctx, "sdk.load", percent)
	if err != nil || edited.GetUnit() != "percent" {
		t.Errorf("edited metadata: %+v, %v", edited, err)
	}
	known, _, err := metrics.GetMetricMetadata(ctx, "sdk.load")
	if err != nil || known.GetType() != "gauge" || known.GetUnit() != "percent" {
		t.Errorf("metadata: %+v, %v", known, err)
	}
	active, _, err := metrics.ListActiveMetrics(ctx, now-3600)
	if err != nil || !slices.Contains(active.GetMetrics(), "sdk.load") {
		t.Errorf("active metrics: %v, %v", active.GetMetrics(), err)
	}
	found, _, err := metrics.ListMetrics(ctx, "sdk.lo")
	if names := found.GetResults(); err != nil || !slices.Equal(names.GetMetrics(), []string{"sdk.load"}) {
		t.Errorf("metrics found: %v, %v", names.GetMetrics(), err)
	}

	event, _, err := datadogV1.NewEventsApi(api).CreateEvent(ctx, datadogV1.EventCreateRequest{
		Title: "deploy", Text: "v2", Tags: []string{"env:test"},
	})
	if err != nil || event.GetStatus() != "ok" {
		t.Fatalf("event: %v, %v", event, err)
	}

	snapshots := datadogV1.NewSnapshotsApi(api)
	snap, res, err := snapshots.GetGraphSnapshot(ctx, now-3600, now, *datadogV1.NewGetGraphSnapshotOptionalParameters().
		WithMetricQuery("avg:system.cpu.user{*} " +
			"by {host}").WithEventQuery("tags:env:test").WithTitle("CPU").WithHeight(300).WithWidth(500))
	if err != nil {
		t.Fatal(err)
	}
	if snap.GetMetricQuery() != "avg:system.cpu.user{*} by {host}" || !strings.Contains(snap.GetGraphDef(), `"requests"`) || res.Header.Get("X-RateLimit-Limit") == "" {
		t.Errorf("snapshot: %+v %v", snap, res.Header)
	}
	if w, h := fetch(t, snap.GetSnapshotUrl()); w != 500 || h != 300 {
		t.Errorf("picture of %d by %d, want 500 by 300", w, h)
	}
	def := `{"viz":"toplist","requests":[{"q":"avg:system.cpu.user{*} by {host}"}]}`
	snap, _, err = snapshots.GetGraphSnapshot(ctx, now-3600, now,
		*datadogV1.NewGetGraphSnapshotOptionalParameters().WithGraphDef(def))
	if err != nil || snap.GetGraphDef() != def || snap.HasMetricQuery() {
		t.Errorf("snapshot of a definition: %+v, %v", snap, err)
	}
	fetch(t, snap.GetSnapshotUrl())

	_, res, err = snapshots.GetGraphSnapshot(ctx, now, now-60)
	if res == nil || res.StatusCode != http.StatusBadRequest {
		t.Errorf("bad request: %v, %v", res, err)
	}
	if refused, ok := err.(datadog.GenericOpenAPIError); !ok || refused.Model() == nil {
		t.Errorf("the client cannot read the refusal: %#v", err)
	}
}

// TestOfficialPythonClients runs the scripts under python.
func TestOfficialPythonClients(t *testing.T) {
	world.PythonClients(t, world.Options{})
}

// TestOfficialNPMClient runs npm/snapshots.mjs.
func TestOfficialNPMClient(t *testing.T) {
	world.Serve(t, world.Options{}).Node(t, "npm", "snapshots.mjs")
}
