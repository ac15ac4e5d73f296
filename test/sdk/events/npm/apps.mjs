// An app of the code host with unmodified octokit: it proves itself with its key,
// acts on its installation, and signs a user in whose token it refreshes.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { App, Octokit } from "octokit";
import { createAppAuth } from "@octokit/auth-app";
import { allow } from "../../device/npm/browser.mjs";

const { STOA_BINARY, STOA_DATA, STOA_REPO, STOA_URL, STOA_USER } = process.env;
const [owner, repo] = STOA_REPO.split("/");
const back = "http://127.0.0.1:9999/callback";
const made = JSON.parse(execFileSync(STOA_BINARY, ["app", "add", "builder", "--owner", owner,
  "--permission", "contents:write", "--permission", "issues:write", "--redirect", back, "--data", STOA_DATA, "--json"]));

for (const baseUrl of [STOA_URL, `${STOA_URL}/api/v3`]) {
  const Here = Octokit.defaults({ baseUrl });
  const asApp = new Here({ authStrategy: createAppAuth, auth: { appId: made.app_id, privateKey: made.private_key } });
  assert.equal((await asApp.rest.apps.getAuthenticated()).data.slug, made.slug);
  const { data: installation } = await asApp.rest.apps.getRepoInstallation({ owner, repo });
  assert.equal(installation.id, made.installation_id);
  assert.deepEqual((await asApp.rest.apps.listInstallations()).data.map((i) => i.account.login), [owner]);

  const app = new App({ appId: made.app_id, privateKey: made.private_key, Octokit: Here,
    oauth: { clientId: made.client_id, clientSecret: made.client_secret } });
  const installed = await app.getInstallationOctokit(installation.id);
  assert.deepEqual((await installed.rest.apps.listReposAccessibleToInstallation()).data.repositories.map((r) => r.full_name),
    [STOA_REPO]);
  const { data: issue } = await installed.rest.issues.create({ owner, repo, title: "From an app" });
  assert.equal(issue.user.type, "Bot");
  const names = [];
  for await (const { repository } of app.eachRepository.iterator()) names.push(repository.full_name);
  assert.deepEqual(names, [STOA_REPO]);

  // A user allows the app, and the app keeps the permission by refreshing.
  const { url } = app.oauth.getWebFlowAuthorizationUrl({ state: "here", redirectUrl: back });
  const code = new URL(await allow(url)).searchParams.get("code");
  const { authentication: first } = await app.oauth.createToken({ code, redirectUrl: back });
  assert.ok(first.token && first.refreshToken && new Date(first.expiresAt) > new Date());
  const { authentication: fresh } = await app.oauth.refreshToken({ refreshToken: first.refreshToken });
  assert.notEqual(fresh.token, first.token);
  const user = new Here({ auth: fresh.token });
  assert.equal((await user.rest.users.getAuthenticated()).data.login, STOA_USER);
  assert.equal((await app.oauth.checkToken({ token: fresh.token })).data.user.login, STOA_USER);
  await app.oauth.deleteToken({ token: fresh.token });
  await assert.rejects(user.rest.users.getAuthenticated(), { status: 401 });
}
console.log("the app is served");
