import json

from datadog_api_client.exceptions import ApiException, ForbiddenException, NotFoundException
from datadog_api_client.v1.api.dashboards_api import DashboardsApi
from datadog_api_client.v1.api.events_api import EventsApi
from datadog_api_client.v1.api.hosts_api import HostsApi
from datadog_api_client.v1.api.monitors_api import MonitorsApi
from datadog_api_client.v1.api.snapshots_api import SnapshotsApi
from datadog_api_client.v1.model.event_create_request import EventCreateRequest
from stoa import NOW, client, picture

QUERY = "avg:system.cpu.user{*} by {host}"

with client() as api:
    snapshots = SnapshotsApi(api)
    event = EventsApi(api).create_event(EventCreateRequest(title="deploy", text="v2", tags=["env:test"]))
    assert event.status == "ok", event

    answer = snapshots.get_graph_snapshot(
        start=NOW - 3600, end=NOW, metric_query=QUERY, event_query="tags:env:test", title="CPU", width=500, height=300
    )
    assert answer.metric_query == QUERY and json.loads(answer.graph_def)["requests"][0]["q"] == QUERY, answer
    assert picture(answer.snapshot_url) == (500, 300)

    for kind in ("timeseries", "toplist", "query_value", "heatmap", "distribution", "change"):
        definition = json.dumps({"viz": kind, "requests": [{"q": QUERY}]})
        answer = snapshots.get_graph_snapshot(start=NOW - 3600, end=NOW, graph_def=definition)
        assert answer.graph_def == definition and picture(answer.snapshot_url) == (600, 400), kind

    def refused(error, call, *words):
        try:
            call()
        except ApiException as e:
            assert isinstance(e, error) and all(w in e.body["errors"][0] for w in words), e
        else:
            raise AssertionError("it was not refused")

    for kind in ("query_table", "scatterplot", "treemap", "sunburst", "hostmap", "slo", "note"):
        definition = json.dumps({"viz": kind, "requests": [{"q": QUERY}]})
        refused(ApiException, lambda: snapshots.get_graph_snapshot(start=NOW - 3600, end=NOW, graph_def=definition), kind)
    refused(ApiException, lambda: snapshots.get_graph_snapshot(start=NOW, end=NOW - 60, metric_query=QUERY), "start")
    refused(NotFoundException, DashboardsApi(api).list_dashboards, "dashboards are not kept")
    refused(NotFoundException, MonitorsApi(api).list_monitors, "nothing is watched")
    refused(NotFoundException, HostsApi(api).list_hosts, "by {host}")

    api.configuration.api_key["appKeyAuth"] = "wrong"
    refused(
        ForbiddenException, lambda: snapshots.get_graph_snapshot(start=NOW - 60, end=NOW, metric_query=QUERY), "Forbidden"
    )
