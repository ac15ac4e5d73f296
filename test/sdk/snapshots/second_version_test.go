package snapshots_test

import (
	"testing"
	"time"

	"github.com/DataDog/datadog-api-client-go/v2/api/datadog"
	"github.com/DataDog/datadog-api-client-go/v2/api/datadogV2"

	"stoa.dev/stoa/test/sdk/world"
)

// TestOfficialGoClientSecondVersion submits and queries with the client of the API's second
// version, in every encoding that it has without a C library.
func TestOfficialGoClientSecondVersion(t *testing.T) {
	ctx, api := client(world.Serve(t, world.Options{}).Env)
	metrics, now := datadogV2.NewMetricsApi(api), time.Now().Unix()
	body := datadogV2.MetricPayload{Series: []datadogV2.MetricSeries{gauge(now, "h1", 10), gauge(now, "h2", 30)}}
	for _, encoding := range []datadogV2.MetricContentEncoding{
		datadogV2.METRICCONTENTENCODING_DEFLATE, datadogV2.METRICCONTENTENCODING_GZIP,
	} {
		got, _, err := metrics.SubmitMetrics(ctx, body,
			*datadogV2.NewSubmitMetricsOptionalParameters().WithContentEncoding(encoding))
		if err != nil || len(got.GetErrors()) != 0 {
			t.Fatalf("submit with %s: %v, %v", encoding, got, err)
		}
	}
	const query = "avg:sdk.second{*} by {host}"
	lines, _, err := metrics.QueryTimeseriesData(ctx, datadogV2.TimeseriesFormulaQueryRequest{
		Data: datadogV2.TimeseriesFormulaRequest{
			Type: datadogV2.TIMESERIESFORMULAREQUESTTYPE_TIMESERIES_REQUEST,
			Attributes: datadogV2.TimeseriesFormulaRequestAttributes{
				From: (now - 600) * 1000, To: (now + 60) * 1000, Interval: datadog.PtrInt64(60000),
				Formulas: []datadogV2.QueryFormula{{Formula: "a * 2"}},
				Queries: []datadogV2.TimeseriesQuery{{MetricsTimeseriesQuery: &datadogV2.MetricsTimeseriesQuery{
					DataSource: datadogV2.METRICSDATASOURCE_METRICS, Query: query, Name: datadog.PtrString("a"),
				}}},
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	drawn := lines.Data.GetAttributes()
	if len(drawn.GetSeries()) != 2 || len(drawn.GetValues()) != 2 || highest(drawn.GetValues()[1]) != 60 ||
		len(drawn.GetTimes()) != len(drawn.GetValues()[0]) {
		t.Errorf("lines: %+v", drawn)
	}
	numbers, _, err := metrics.QueryScalarData(ctx, datadogV2.ScalarFormulaQueryRequest{
		Data: datadogV2.ScalarFormulaRequest{
			Type: datadogV2.SCALARFORMULAREQUESTTYPE_SCALAR_REQUEST,
			Attributes: datadogV2.ScalarFormulaRequestAttributes{
				From: (now - 600) * 1000, To: (now + 60) * 1000, Formulas: []datadogV2.QueryFormula{{Formula: "a / 10"}},
				Queries: []datadogV2.ScalarQuery{{MetricsScalarQuery: &datadogV2.MetricsScalarQuery{
					DataSource: datadogV2.METRICSDATASOURCE_METRICS, Query: query, Name: datadog.PtrString("a"),
					Aggregator: datadogV2.METRICSAGGREGATOR_MAX,
				}}},
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	columns := numbers.Data.Attributes.GetColumns()
	if len(columns) != 2 || columns[0].GroupScalarColumn == nil || columns[1].DataScalarColumn == nil {
		t.Fatalf("columns: %+v", columns)
	}
	if got := columns[1].DataScalarColumn.GetValues(); len(got) != 2 || *got[0] != 1 || *got[1] != 3 {
		t.Errorf("numbers: %v", got)
	}
}

// gauge is a metric of a host with two points of one value.
func gauge(now int64, host string, value float64) datadogV2.MetricSeries {
	return datadogV2.MetricSeries{
		Metric: "sdk.second", Type: datadogV2.METRICINTAKETYPE_GAUGE.Ptr(), Unit: datadog.PtrString("percent"),
		Points: []datadogV2.MetricPoint{
			{Timestamp: datadog.PtrInt64(now - 60), Value: &value}, {Timestamp: &now, Value: &value},
		},
		Resources: []datadogV2.MetricResource{{Name: &host, Type: datadog.PtrString("host")}},
	}
}

func highest(values []*float64) (out float64) {
	for _, v := range values {
		if v != nil {
			out = max(out, *v)
		}
	}
	return out
}
