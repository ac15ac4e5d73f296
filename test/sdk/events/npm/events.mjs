// Reads every feed with an unmodified octokit and meets both limits.
import assert from "node:assert/strict";
import { Octokit } from "octokit";

const baseUrl = process.env.STOA_URL;
const user = process.env.STOA_USER;
const [owner, repo] = process.env.STOA_REPO.split("/");
const met = { primary: [], secondary: [] };
const waits = (list, retry) => (retryAfter) => {
  list.push(retryAfter);
  return retry;
};
const connect = (auth, retry) =>
  new Octokit({
    auth,
    baseUrl,
    throttle: { onRateLimit: waits(met.primary, false), onSecondaryRateLimit: waits(met.secondary, retry) },
  });

const octokit = connect(process.env.STOA_TOKEN, true);
const activity = octokit.rest.activity;
for (const [name, ask] of Object.entries({
  public: () => activity.listPublicEvents(),
  repository: () => activity.listRepoEvents({ owner, repo }),
  network: () => activity.listPublicEventsForRepoNetwork({ owner, repo }),
  organization: () => activity.listPublicOrgEvents({ org: owner }),
  user: () => activity.listEventsForAuthenticatedUser({ username: user }),
  "user public": () => activity.listPublicEventsForUser({ username: user }),
  "user of organization": () => activity.listOrgEventsForAuthenticatedUser({ username: user, org: owner }),
  received: () => activity.listReceivedEventsForUser({ username: process.env.STOA_GUEST }),
  "received public": () => activity.listReceivedPublicEventsForUser({ username: process.env.STOA_GUEST }),
})) {
  const answer = await ask();
  assert.equal(answer.status, 200, name);
  assert.ok(answer.data.length > 0, `${name} is empty`);
  const event = answer.data[0];
  assert.equal(typeof event.id, "string", name);
  assert.equal(event.actor.gravatar_id, "", name);
  assert.equal(answer.headers["x-poll-interval"], "60", name);
}

const all = await octokit.paginate(activity.listRepoEvents, { owner, repo, per_page: 50 });
assert.ok(all.length >= 120, `paginate gave ${all.length} events`);

const first = await activity.listPublicEvents();
await assert.rejects(activity.listPublicEvents({ headers: { "if-none-match": first.headers.etag } }), { status: 304 });

const limits = await octokit.rest.rateLimit.get();
assert.equal(limits.data.resources.core.limit, 5000);

// The primary limit of anonymous callers was used up before: the client is
// told to wait for the reset, and does not retry because we said so.
await assert.rejects(connect(undefined, false).rest.activity.listPublicEvents(), { status: 403 });
assert.equal(met.primary.length, 1, "the primary limit was not recognised");
assert.ok(met.primary[0] > 0 && met.primary[0] <= 3601, `wait of ${met.primary[0]} s`);

// The secondary limit: the client waits as long as it is told and is served.
let served = 0;
while (met.secondary.length === 0 && served < 100) {
  const answer = await activity.listPublicOrgEvents({ org: owner });
  assert.equal(answer.status, 200);
  served++;
}
assert.equal(met.secondary.length, 1, "the secondary limit was not met");
assert.ok(met.secondary[0] > 0 && met.secondary[0] <= 60, `wait of ${met.secondary[0]} s`);
console.log("every feed is read and both limits are obeyed");
