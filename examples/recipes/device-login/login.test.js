import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { world } from 'stoatest';
import { login } from './login.js';

const run = promisify(execFile);
const decide = (w, word) => (code) => run(process.env.STOA_BIN ?? 'stoa', ['grant', word, code, '--user', w.env.STOA_USER], {
  env: { ...process.env, STOA_DATA: w.env.STOA_DATA },
});
const options = { at: '2026-03-01T09:00:00Z' };

test('the user allows it while the service asks for slower polls', async (t) => {
  const w = await world(t, options);
  await w.faults.add({ match: { operation: 'token' }, when: { first: 2 }, deed: { fault: 'slow_down' } });
  const token = await login(w.services.device.options, decide(w, 'approve'), (s) => w.clock.advance(`${s}s`));
  assert.equal(token.token_type, 'Bearer');
  await w.expect({ operation: 'token' }, { exactly: 3, noCloserThan: '5s' });
  (await w.conduct()).mustBeClean();
});

test('the user refuses', async (t) => {
  const w = await world(t, options);
  await assert.rejects(login(w.services.device.options, decide(w, 'deny'), (s) => w.clock.advance(`${s}s`)), /access_denied/);
});

test('the code expires after half an hour of polling', async (t) => {
  const w = await world(t, options);
  await assert.rejects(login(w.services.device.options, () => {}, (s) => w.clock.advance(`${s}s`)), /expired_token/);
  const waited = (await w.clock.now()) - new Date(options.at);
  assert.ok(waited >= 15 * 60e3 && waited <= 60 * 60e3, `${waited / 60e3} minutes`);
});
