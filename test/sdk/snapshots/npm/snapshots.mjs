// Drives a running server (STOA_URL, STOA_API_KEY, STOA_APP_KEY) with the
// official npm client, unmodified.
import assert from "node:assert/strict";
import { client, v1, v2 } from "@datadog/datadog-api-client";

const address = new URL(process.env.STOA_URL);
const configuration = client.createConfiguration({
  serverIndex: 1,
  authMethods: { apiKeyAuth: process.env.STOA_API_KEY, appKeyAuth: process.env.STOA_APP_KEY },
});
configuration.setServerVariables({ name: address.host, protocol: "http" });

const now = Math.floor(Date.now() / 1000);
const metrics = new v1.MetricsApi(configuration);

assert.equal((await new v1.AuthenticationApi(configuration).validate()).valid, true);

const submitted = await metrics.submitMetrics({
  body: { series: [{ metric: "npm.load", type: "gauge", host: "h1", points: [[now, 4.5]], tags: ["env:test"] }] },
});
assert.equal(submitted.status, "ok");

const answer = await metrics.queryMetrics({ from: now - 600, to: now + 60, query: "avg:npm.load{env:test}" });
assert.equal(answer.status, "ok");
assert.equal(answer.series.length, 1);
assert.equal(answer.series[0].pointlist[0][1], 4.5);

await metrics.submitDistributionPoints({ body: { series: [{ metric: "npm.latency", points: [[now, [1, 2, 3]]] }] } });
const longest = await metrics.queryMetrics({ from: now - 600, to: now + 60, query: "max:npm.latency{*}" });
// A distribution is kept in bins; its values are exact to a percent.
assert.equal(longest.series[0].pointlist.at(-1)[1].toFixed(1), "3.0");

// The second version: points, formulas over time, formulas to one number.
const second = new v2.MetricsApi(configuration);
const load = (host, value) => ({
  metric: "npm.hosts", type: 3, unit: "percent", resources: [{ name: host, type: "host" }],
  points: [{ timestamp: now - 60, value }, { timestamp: now, value }],
});
for (const contentEncoding of [undefined, "gzip", "deflate"]) {
  const taken = await second.submitMetrics({ body: { series: [load("h1", 10), load("h2", 30)] }, contentEncoding });
  assert.deepEqual(taken.errors, []);
}
const range = { from: (now - 600) * 1000, to: (now + 60) * 1000 };
const lines = await second.queryTimeseriesData({ body: { data: { type: "timeseries_request", attributes: {
  ...range, interval: 60000,
  queries: [{ dataSource: "metrics", query: "avg:npm.hosts{*} by {host}", name: "a" }],
  formulas: [{ formula: "a * 2", limit: { count: 1, order: "desc" } }, { formula: "a" }],
} } } });
const over = lines.data.attributes;
assert.deepEqual(over.series.map((s) => s.groupTags), [["host:h2"], ["host:h1"], ["host:h2"]]);
assert.equal(over.series[1].unit[0].name, "percent");
assert.deepEqual(over.values.map((list) => Math.max(...list)), [60, 10, 30]);
assert.equal(over.times.length, over.values[0].length);
const scalar = await second.queryScalarData({ body: { data: { type: "scalar_request", attributes: {
  ...range,
  queries: [{ dataSource: "metrics", query: "avg:npm.hosts{*} by {host}", name: "a", aggregator: "max" }],
  formulas: [{ formula: "a / 10" }],
} } } });
const [groups, numbers] = scalar.data.attributes.columns;
assert.deepEqual([groups.name, groups.values], ["host", [["h1"], ["h2"]]]);
assert.deepEqual([numbers.name, numbers.values], ["a / 10", [1, 3]]);

const edited = await metrics.updateMetricMetadata({ metricName: "npm.load", body: { unit: "byte", perUnit: "second" } });
assert.deepEqual([edited.unit, edited.perUnit], ["byte", "second"]);
assert.equal((await metrics.getMetricMetadata({ metricName: "npm.load" })).type, "gauge");
assert.ok((await metrics.listActiveMetrics({ from: now - 3600 })).metrics.includes("npm.load"));
assert.deepEqual((await metrics.listMetrics({ q: "npm.lo" })).results.metrics, ["npm.load"]);

const events = new v1.EventsApi(configuration);
const made = await events.createEvent({ body: { title: "deploy", text: "v2", tags: ["env:test"] } });
assert.equal((await events.getEvent({ eventId: made.event.id })).event.title, "deploy");

await assert.rejects(new v1.DashboardsApi(configuration).listDashboards(), (e) => e.code === 404 && /not kept/.test(e.message));
await assert.rejects(new v1.MonitorsApi(configuration).listMonitors(), (e) => e.code === 404 && /nothing is watched/.test(e.message));
await assert.rejects(new v1.HostsApi(configuration).listHosts(), (e) => e.code === 404 && /by {host}/.test(e.message));

const snapshot = await new v1.SnapshotsApi(configuration).getGraphSnapshot({
  metricQuery: "avg:system.cpu.user{*} by {host}", start: now - 3600, end: now, title: "CPU", width: 400, height: 200,
});
assert.equal(snapshot.metricQuery, "avg:system.cpu.user{*} by {host}");
let picture;
for (let i = 0; i < 30; i++) {
  picture = await fetch(snapshot.snapshotUrl);
  if (picture.status !== 202) break;
  await new Promise((resolve) => setTimeout(resolve, 1000 * picture.headers.get("Retry-After")));
}
assert.equal(picture.status, 200);
const bytes = Buffer.from(await picture.arrayBuffer());
assert.equal(bytes.subarray(1, 4).toString(), "PNG");
assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [400, 200]);
console.log("ok");
