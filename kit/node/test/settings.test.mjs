import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { Lab, VERSION, world } from 'stoatest';

// Every service answers a client that has its settings and nothing else.
test('settings', async (t) => {
  const w = await world(t);
  const asks = {
    packages: '/v3/systems/npm/packages/%40stoa%2Fcolonnade',
    tasks: '/tasks/v1/users/@me/lists',
    labels: '/v2/limits/label?name=limits/label',
    snapshots: '/api/v1/validate',
    articles: '/api/v2/authenticated_user',
    pipelines: '/api/v1.1/me',
    calendar: '/calendar/v3/users/me/calendarList',
    events: `/repos/${w.env.STOA_REPO}/events`,
    analytics: '/apis/v4/projects/v0',
    generate: '/v1beta/models',
  };
  for (const [service, path] of Object.entries(asks)) {
    const { url, headers } = w.services[service];
    const answer = await fetch(url + path, { headers });
    assert.equal(answer.status, 200, `${service}: ${answer.status} ${await answer.text()}`);
  }
  const { headers } = w.services.apikeys;
  const refreshed = await fetch(`${w.url}/v2/api-keys/refresh`, {
    method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{"apiKeyDaysValid":60}',
  });
  assert.equal(refreshed.status, 200);
  const { clientId, deviceAuthorizationEndpoint } = w.services.device.options;
  const code = await fetch(deviceAuthorizationEndpoint, {
    method: 'POST', body: new URLSearchParams({ client_id: clientId, scope: 'video.readonly' }),
  });
  assert.equal(code.status, 200);
  assert.match(w.services.kms.options.target, /^unix:\//);
  assert.equal(Object.keys(w.services).length, 13);
  assert.deepEqual(w.services.tasks.with('other').headers, { Authorization: 'Bearer other' });
});

test('a seed file', async (t) => {
  const seedText = 'users:\n- {name: mary, password: correct horse battery, tokens: [{variable: MARY_TOKEN}]}\n';
  const w = await world(t, { from: 'empty', seedText });
  const { url, headers } = w.services.tasks.with(w.env.MARY_TOKEN);
  assert.equal((await fetch(`${url}/tasks/v1/users/@me/lists`, { headers })).status, 200);
  await assert.rejects(world(t, { seedText: 'users:\n- {nam: mary}\n' }), /seedFile:2:4: users\[0\]: "nam" is not known/);
});

test('require works as import does', () => {
  assert.equal(createRequire(import.meta.url)('stoatest').world, world);
});

test('a lab that does not answer says which and what to do', async () => {
  for (const url of ['http://127.0.0.1:1/', 'nowhere']) {
    const lab = new Lab(url, 'only-for-tests-here');
    await assert.rejects(lab.call('GET', '/worlds'), (error) => {
      assert.match(error.message, /^the lab at \S+ does not answer \(.+\): it has ended, or STOA_LAB_URL names another address$/);
      assert.doesNotMatch(error.message, /only-for-tests/);
      assert.ok(error.cause);
      return true;
    });
  }
});

test('another version says so', async (t) => {
  const server = createServer((_, answer) => answer.setHeader('Stoa-Version', 'v9.1.0').end('{}'));
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  const lab = new Lab(`http://127.0.0.1:${server.address().port}`, 'token');
  for (const _ of [1, 2]) await assert.rejects(lab.call('GET', '/worlds'), new RegExp(`made for Stoa ${VERSION} and the lab is v9.1.0`));
});

test('what is not a time is named', async () => {
  await assert.rejects(world({ at: '2026-03-01' }), /^TypeError: at: "2026-03-01" is not a time such as 2026-03-01T09:00:00Z$/);
});
