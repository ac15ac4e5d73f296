"""The client that is older than the generated one and still used: datadogpy."""

import os
import time

from datadog import api, initialize
from datadog.api.exceptions import ApiError

initialize(
    api_key=os.environ["STOA_API_KEY"],
    app_key=os.environ["STOA_APP_KEY"],
    api_host=os.environ["STOA_URL"],
    hostname_from_config=False,
    mute=False,
)
now = int(time.time())

sent = api.Metric.send(metric="old.load", points=[(now - 60, 1.5), (now, 2.5)], host="h1", tags=["env:test"])
assert sent["status"] == "ok", sent
sent = api.Metric.send(
    metrics=[{"metric": "old.hits", "type": "count", "interval": 60, "points": [(now - 60, 600)], "host": "h1"}],
    compress_payload=True,
)
assert sent["status"] == "ok", sent
sent = api.Distribution.send(distributions=[{"metric": "old.latency", "points": [(now - 60, [1.0, 2.0, 3.0])]}])
assert sent["status"] == "ok", sent
assert api.ServiceCheck.check(check="old.check", host_name="h1", status=0)["status"] == "ok"

answer = api.Metric.query(start=now - 600, end=now + 60, query="avg:old.load{env:test}")
assert answer["status"] == "ok" and answer["series"][0]["pointlist"][-1][1] == 2.5, answer
assert "old.load" in api.Metric.list(now - 3600)["metrics"]
assert api.Infrastructure.search(q="metrics:old.l")["results"]["metrics"] == ["old.latency", "old.load"]

assert api.Metadata.update(metric_name="old.load", unit="percent")["unit"] == "percent"
assert api.Metadata.get(metric_name="old.load")["type"] == "gauge"

event = api.Event.create(title="deploy", text="v2", tags=["env:test"])
assert event["status"] == "ok", event
assert api.Event.get(event["event"]["id"])["event"]["title"] == "deploy"
assert [e["title"] for e in api.Event.query(start=now - 60, end=now + 60)["events"]] == ["deploy"]

snapshot = api.Graph.create(
    metric_query="avg:old.load{*}", start=now - 600, end=now, event_query="tags:env:test", title="Load"
)
assert snapshot["metric_query"] == "avg:old.load{*}" and snapshot["event_query"] == "tags:env:test", snapshot
for _ in range(30):
    status = api.Graph.status(snapshot["snapshot_url"])
    if status["status_code"] == 200:
        break
    time.sleep(1)  # the client does not show Retry-After, which is a second
assert status["status_code"] == 200, status


def refused(call, words, **arguments):
    try:
        call(**arguments)
    except ApiError as e:
        assert words in e.args[0]["errors"][0], e
    else:
        raise AssertionError("it was not refused")


refused(api.Dashboard.get_all, "dashboards are not kept")
refused(api.Monitor.get_all, "nothing is watched")
refused(api.Graph.create, "line 1", metric_query="avg:old.load{*", start=now - 600, end=now)
