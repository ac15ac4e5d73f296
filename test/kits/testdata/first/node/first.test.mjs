import assert from 'node:assert/strict';
import test from 'node:test';
import { world } from 'stoatest';

test('first', async (t) => {
  const w = await world(t);
  const { url, headers } = w.services.tasks;
  const answer = await fetch(`${url}/tasks/v1/users/@me/lists`, { headers });
  assert.equal(answer.status, 200);
  await w.expect({ operation: 'tasklists.list' }, { exactly: 1 });
});
