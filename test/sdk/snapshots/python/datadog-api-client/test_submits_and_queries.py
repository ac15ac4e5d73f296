from datadog_api_client.v1.api.authentication_api import AuthenticationApi
from datadog_api_client.v1.api.metrics_api import MetricsApi
from datadog_api_client.v1.model.distribution_point import DistributionPoint
from datadog_api_client.v1.model.distribution_points_payload import DistributionPointsPayload
from datadog_api_client.v1.model.distribution_points_series import DistributionPointsSeries
from datadog_api_client.v1.model.metric_content_encoding import MetricContentEncoding
from datadog_api_client.v1.model.metric_metadata import MetricMetadata
from datadog_api_client.v1.model.metrics_payload import MetricsPayload
from datadog_api_client.v1.model.point import Point
from datadog_api_client.v1.model.series import Series
from stoa import NOW, client

with client() as api:
    assert AuthenticationApi(api).validate().valid is True
    metrics = MetricsApi(api)

    hits = MetricsPayload(
        series=[
            Series(
                metric="py.hits",
                type="count",
                interval=60,
                host="h1",
                tags=["env:test"],
                points=[Point([float(NOW - 60 * i), 600.0]) for i in range(1, 40)],
            )
        ]
    )
    for encoding in (MetricContentEncoding.GZIP, MetricContentEncoding.DEFLATE):
        assert metrics.submit_metrics(body=hits, content_encoding=encoding).status == "ok"

    # Ten a second, however often it was sent and at every zoom.
    for span in (900, 3600, 4 * 3600, 24 * 3600):
        answer = metrics.query_metrics(_from=NOW - span, to=NOW + 60, query="sum:py.hits{env:test} by {host}.as_rate()")
        assert answer.status == "ok" and len(answer.series) == 1, answer
        series = answer.series[0]
        assert series.scope == "host:h1,env:test", series.scope
        values = [point.value[1] for point in series.pointlist]
        assert values and max(values) == 10.0, (span, values)

    latency = DistributionPointsPayload(
        series=[
            DistributionPointsSeries(
                metric="py.latency", points=[DistributionPoint([float(NOW - 60), [1.0, 2.0, 3.0]])], tags=["env:test"]
            )
        ]
    )
    assert metrics.submit_distribution_points(body=latency).status == "ok"
    answer = metrics.query_metrics(_from=NOW - 600, to=NOW + 60, query="max:py.latency{*}")
    # A distribution is kept in bins; its values are exact to a percent.
    assert [round(point.value[1], 1) for point in answer.series[0].pointlist] == [3.0], answer

    edited = metrics.update_metric_metadata("py.hits", MetricMetadata(unit="request", description="Hits of the front page"))
    assert edited.unit == "request", edited
    known = metrics.get_metric_metadata("py.hits")
    assert (known.type, known.statsd_interval, known.description) == ("count", 60, "Hits of the front page"), known

    assert "py.hits" in metrics.list_active_metrics(NOW - 3600).metrics
    assert metrics.list_metrics("py.h").results.metrics == ["py.hits"]
