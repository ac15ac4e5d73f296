// Drives every operation of an unmodified circleci-api against Stoa, and reads
// the EDN answers with an independent reader.
import assert from "node:assert/strict";
import { CircleCI } from "circleci-api";
import { parseEDNString } from "edn-data";

const { STOA_URL, STOA_PIPELINE_TOKEN: token, STOA_REPO } = process.env;
const [owner, repo] = STOA_REPO.split("/");
const circleHost = `${STOA_URL}/api/v1.1`;
const api = new CircleCI({ token, circleHost, vcs: { type: "github", owner, repo } });
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// until asks for a job until it has come so far.
async function until(num, good) {
  for (let i = 0; i < 600; i++) {
    const build = await api.build(num);
    if (good(build)) return build;
    await sleep(100);
  }
  assert.fail(`job ${num} does not come so far`);
}
const ended = (b) => b.lifecycle === "finished" || b.lifecycle === "not_run";

const me = await api.me();
assert.equal(me.login, process.env.STOA_USER);
assert.equal(me.basic_email_prefs, "smart");

const followed = await api.followProject({ vcs: { type: "github", owner, repo } });
assert.equal(followed.followed, true);
const projects = await api.projects();
assert.equal(projects.length, 1);
assert.equal(projects[0].vcs_url, `https://github.com/${STOA_REPO}`);
assert.ok(projects[0].branches.main, "no branch main");

const first = await until(1, ended);
assert.equal(first.outcome, "success");
assert.equal(first.vcs_type, "github");
assert.equal(first.why, "github");
assert.ok(first.circle_yml.string.includes("jobs:"));
assert.ok(first.steps.length >= 3);
const output = await (await fetch(first.steps.find((s) => s.actions[0].has_output).actions[0].output_url, { headers: { accept: "application/json" } })).json();
assert.equal(output[0].type, "out");

const triggered = await api.triggerBuildFor("main", { options: { newBuildOptions: { build_parameters: { COLOUR: "green" } } } });
assert.equal(triggered.build_parameters.COLOUR, "green");
const again = await api.triggerBuild();
assert.equal(again.build_num, triggered.build_num + 1);
const done = await until(triggered.build_num, ended);
assert.equal(done.outcome, "success");

const retried = await api.retry(triggered.build_num);
assert.equal(retried.retry_of, triggered.build_num);
await until(retried.build_num, ended);
const canceled = await api.cancel((await api.triggerBuildFor("main")).build_num);
assert.equal(canceled.status, "canceled");

const builds = await api.builds({ limit: 2, offset: 1 });
assert.equal(builds.length, 2);
assert.ok(builds[0].build_num > builds[1].build_num);
assert.ok((await api.buildsFor("main", { filter: "successful" })).every((b) => b.outcome === "success"));
assert.ok((await api.recentBuilds({ limit: 1 })).length === 1);

assert.deepEqual(await api.artifacts(1), []);
assert.deepEqual(await api.latestArtifacts({ branch: "main", filter: "successful" }), []);
assert.ok(Array.isArray((await api.getTestMetadata(1)).tests));

const added = await api.addEnvVar({ name: "COLOUR", value: "a long secret" });
assert.deepEqual(added, { name: "COLOUR", value: "xxxxcret" });
assert.ok((await api.listEnvVars()).some((v) => v.name === "COLOUR"));
assert.equal((await api.getEnvVar("COLOUR")).value, "xxxxcret");
assert.equal((await api.deleteEnvVar("COLOUR")).message, "ok");
await assert.rejects(api.getEnvVar("COLOUR"), (e) => e.response.status === 404);

for (const type of ["deploy-key", "github-user-key"]) {
  const key = await api.addCheckoutKey(type);
  assert.equal(key.type, type);
  assert.ok(key.public_key.startsWith("ssh-ed25519 "));
  assert.ok((await api.listCheckoutKeys()).some((k) => k.fingerprint === key.fingerprint));
  assert.equal((await api.getCheckoutKey(key.fingerprint)).public_key, key.public_key);
  assert.equal((await api.deleteCheckoutKey(key.fingerprint)).message, "ok");
}

const privateKey = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE KEY-----\n";
assert.equal((await api.addSSHKey({ hostname: "example.com", private_key: privateKey })).hostname, "example.com");
assert.equal((await api.clearCache()).status, "build caches deleted");
await assert.rejects(api.addHerokuKey({ apikey: "x" }), (e) => e.response.status === 410);

// EDN: the same as JSON, member for member, for every sort of answer.
const options = { mapAs: "object", keywordAs: "string", listAs: "array" };
for (const path of ["/me", "/projects", "/recent-builds", `/project/github/${STOA_REPO}`, `/project/gh/${STOA_REPO}/1`, `/project/github/${STOA_REPO}/tree/main`, `/project/github/${STOA_REPO}/99999`]) {
  const ask = async (headers) => (await fetch(circleHost + path, { headers: { "circle-token": token, ...headers } })).text();
  // An empty header is how a client of fetch sends none.
  const edn = parseEDNString(await ask({ accept: "" }), options);
  const json = JSON.parse(await ask({ accept: "application/json" }));
  const strip = (text) => text.replace(/expires=\d+(&|\\u0026)signature=[0-9a-f]+/g, "");
  assert.equal(strip(JSON.stringify(edn)), strip(JSON.stringify(json)), path);
}
console.log("every operation works");
