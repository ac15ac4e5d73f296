import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LabError, theLab, world } from 'stoatest';

const lists = '/tasks/v1/users/@me/lists';

async function ask(w, method, path, body) {
  const response = await fetch(w.url + path, {
    method,
    headers: { authorization: `Bearer ${w.env.STOA_TOKEN}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

test('clock', async (t) => {
  const w = await world(t, { at: '2026-03-01T09:00:00Z', seed: 7 });
  assert.equal((await w.clock.advance('36h')).to, '2026-03-02T21:00:00Z');
  await w.clock.advanceTo(new Date('2026-03-09T00:00:00Z'));
  assert.equal((await w.clock.now()).toISOString(), '2026-03-09T00:00:00.000Z');
  assert.equal(w.seed, 7);
});

test('faults', async (t) => {
  const w = await world(t);
  const rule = await w.faults.add({ match: { operation: 'tasklists.list' }, when: { first: 1 }, deed: { status: 503 } });
  assert.deepEqual([await ask(w, 'GET', lists), await ask(w, 'GET', lists)], [503, 200]);
  assert.deepEqual((await w.faults.list()).map((r) => [r.id, r.hits]), [[rule.id, 1]]);
  await w.faults.remove(rule.id);
  await w.faults.add({ match: { operation: 'tasklists.insert' }, deed: { fault: 'list_quota_exceeded' } });
  assert.equal(await ask(w, 'POST', lists, { title: 'milk' }), 403);
  await w.faults.clear();
  assert.equal(await ask(w, 'POST', lists, { title: 'milk' }), 200);
  await assert.rejects(w.faults.add({ deed: { fault: 'no_such_fault' } }), LabError);
});

test('requests', async (t) => {
  const w = await world(t);
  await ask(w, 'POST', lists, { title: 'milk' });
  await w.expect({ operation: 'tasklists.insert', body: { '/title': 'milk' } }, { exactly: 1 });
  await assert.rejects(w.expect({ operation: 'tasklists.insert', body: { '/title': 'bread' } }, { exactly: 1 }), /"milk"/);
  assert.deepEqual((await w.requests.list({ service: 'tasks' })).map((r) => r.status), [200]);
  await w.requests.clear();
  await w.expect({}, { exactly: 0 });
});

test('inbox', async (t) => {
  const w = await world(t);
  const inbox = await w.inbox('hooks', { status: 503, times: 1 });
  for (const want of [503, 200]) {
    assert.equal((await fetch(inbox.url, { method: 'POST', body: 'changed' })).status, want);
  }
  assert.deepEqual((await inbox.wait(2)).map((m) => m.answered), [503, 200]);
  await assert.rejects(inbox.wait(3, 10), /has 2 messages/);
});

test('fork and reset', async (t) => {
  const w = await world(t, { from: 'empty', config: { offline: true } });
  const fork = await w.fork();
  assert.notEqual(fork.url, w.url);
  await fork.delete();
  await w.reset();
});

test('a fork is deleted with the test of its world, and in any case', async (t) => {
  const lab = await theLab();
  const names = async () => (await lab.call('GET', '/worlds')).worlds.map((w) => w.name);
  let forked;
  await t.test('inner', async (inner) => {
    const w = await world(inner, { from: 'empty' });
    forked = await w.fork();
    await w.delete(); // the end of the test finds nothing left to do
  });
  assert.ok(!(await names()).includes(forked.name), 'the fork is left');
  const w = await world(t, { from: 'empty' });
  const reports = process.env.STOA_CONDUCT_REPORTS;
  process.env.STOA_CONDUCT_REPORTS = '/dev/null'; // no folder
  await assert.rejects(w.delete());
  if (reports === undefined) delete process.env.STOA_CONDUCT_REPORTS;
  else process.env.STOA_CONDUCT_REPORTS = reports;
  assert.ok(!(await names()).includes(w.name), 'the world is left');
});

test('options that do not exist are refused', async (t) => {
  await assert.rejects(world(t, { clock: '2026-03-01T09:00:00Z' }), /world has no clock: use from, at,/);
  const w = await world(t);
  await assert.rejects(w.expect({ operation: 'list_public_events' }, { exacly: 5 }), /expect has no exacly/);
  assert.throws(() => w.faults.add({ match: {}, deeds: {} }), /a fault rule has no deeds/);
  await assert.rejects(w.expect({ operation: 'no.such' }, { exactly: 0 }), /is not an operation/);
});
