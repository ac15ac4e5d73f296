// Drives a running server (STOA_URL, STOA_API_KEY, STOA_APP_KEY) with the
// official npm client, unmodified.
import assert from "node:assert/strict";
import { client, v1 } from "@datadog/datadog-api-client";

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

const snapshot = await new v1.SnapshotsApi(configuration).getGraphSnapshot({
  metricQuery: "avg:system.cpu.user{*} by {host}", start: now - 3600, end: now, title: "CPU", width: 400, height: 200,
});
assert.equal(snapshot.metricQuery, "avg:system.cpu.user{*} by {host}");
let picture;
for (let i = 0; i < 100; i++) {
  picture = await fetch(snapshot.snapshotUrl);
  if (picture.status !== 202) break;
  await new Promise((resolve) => setTimeout(resolve, 100));
}
assert.equal(picture.status, 200);
const bytes = Buffer.from(await picture.arrayBuffer());
assert.equal(bytes.subarray(1, 4).toString(), "PNG");
assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [400, 200]);
console.log("ok");
