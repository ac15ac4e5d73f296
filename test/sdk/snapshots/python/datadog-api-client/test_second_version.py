from datadog_api_client.v1.api.metrics_api import MetricsApi as MetricsApiV1
from datadog_api_client.v2.api.metrics_api import MetricsApi
from datadog_api_client.v2.model.formula_limit import FormulaLimit
from datadog_api_client.v2.model.metric_content_encoding import MetricContentEncoding
from datadog_api_client.v2.model.metric_intake_type import MetricIntakeType
from datadog_api_client.v2.model.metric_payload import MetricPayload
from datadog_api_client.v2.model.metric_point import MetricPoint
from datadog_api_client.v2.model.metric_resource import MetricResource
from datadog_api_client.v2.model.metric_series import MetricSeries
from datadog_api_client.v2.model.metrics_aggregator import MetricsAggregator
from datadog_api_client.v2.model.metrics_data_source import MetricsDataSource
from datadog_api_client.v2.model.metrics_scalar_query import MetricsScalarQuery
from datadog_api_client.v2.model.metrics_timeseries_query import MetricsTimeseriesQuery
from datadog_api_client.v2.model.query_formula import QueryFormula
from datadog_api_client.v2.model.query_sort_order import QuerySortOrder
from datadog_api_client.v2.model.scalar_formula_query_request import ScalarFormulaQueryRequest
from datadog_api_client.v2.model.scalar_formula_request import ScalarFormulaRequest
from datadog_api_client.v2.model.scalar_formula_request_attributes import ScalarFormulaRequestAttributes
from datadog_api_client.v2.model.scalar_formula_request_queries import ScalarFormulaRequestQueries
from datadog_api_client.v2.model.scalar_formula_request_type import ScalarFormulaRequestType
from datadog_api_client.v2.model.timeseries_formula_query_request import TimeseriesFormulaQueryRequest
from datadog_api_client.v2.model.timeseries_formula_request import TimeseriesFormulaRequest
from datadog_api_client.v2.model.timeseries_formula_request_attributes import TimeseriesFormulaRequestAttributes
from datadog_api_client.v2.model.timeseries_formula_request_queries import TimeseriesFormulaRequestQueries
from datadog_api_client.v2.model.timeseries_formula_request_type import TimeseriesFormulaRequestType
from stoa import NOW, client

SOURCE = MetricsDataSource.METRICS


def series(host, value):
    return MetricSeries(
        metric="py.load",
        type=MetricIntakeType.GAUGE,
        points=[MetricPoint(timestamp=NOW - 60, value=value), MetricPoint(timestamp=NOW, value=value)],
        resources=[MetricResource(name=host, type="host")],
        unit="percent",
        tags=["env:test"],
    )


with client() as api:
    metrics = MetricsApi(api)
    body = MetricPayload(series=[series("h1", 10.0), series("h2", 30.0)])
    for encoding in (MetricContentEncoding.GZIP, MetricContentEncoding.DEFLATE, MetricContentEncoding.ZSTD1):
        assert metrics.submit_metrics(body=body, content_encoding=encoding).errors == []

    request = TimeseriesFormulaQueryRequest(
        data=TimeseriesFormulaRequest(
            type=TimeseriesFormulaRequestType.TIMESERIES_REQUEST,
            attributes=TimeseriesFormulaRequestAttributes(
                _from=(NOW - 600) * 1000,
                to=(NOW + 60) * 1000,
                interval=60000,
                queries=TimeseriesFormulaRequestQueries(
                    [MetricsTimeseriesQuery(data_source=SOURCE, query="avg:py.load{*} by {host}", name="a")]
                ),
                formulas=[
                    QueryFormula(formula="a * 2", limit=FormulaLimit(count=1, order=QuerySortOrder.DESC)),
                    QueryFormula(formula="a"),
                ],
            ),
        )
    )
    answer = metrics.query_timeseries_data(body=request).data.attributes
    assert [one.group_tags.value for one in answer.series.value] == [["host:h2"], ["host:h1"], ["host:h2"]], answer
    assert answer.series.value[1].unit[0].name == "percent"
    values = [[v for v in one.value if v is not None] for one in answer.values.value]
    assert [max(one) for one in values] == [60.0, 10.0, 30.0], values
    assert len(answer.times.value) == len(answer.values.value[0].value)

    request = ScalarFormulaQueryRequest(
        data=ScalarFormulaRequest(
            type=ScalarFormulaRequestType.SCALAR_REQUEST,
            attributes=ScalarFormulaRequestAttributes(
                _from=(NOW - 600) * 1000,
                to=(NOW + 60) * 1000,
                queries=ScalarFormulaRequestQueries(
                    [
                        MetricsScalarQuery(
                            data_source=SOURCE, query="avg:py.load{*} by {host}", name="a", aggregator=MetricsAggregator.MAX
                        )
                    ]
                ),
                formulas=[QueryFormula(formula="a / 10")],
            ),
        )
    )
    groups, numbers = metrics.query_scalar_data(body=request).data.attributes.columns
    assert (groups.name, groups.values) == ("host", [["h1"], ["h2"]]), groups
    assert (numbers.name, numbers.values) == ("a / 10", [1.0, 3.0]), numbers

    assert MetricsApiV1(api).get_metric_metadata("py.load").unit == "percent"
