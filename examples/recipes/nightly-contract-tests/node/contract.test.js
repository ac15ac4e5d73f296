import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from 'stoatest';

test('lists', async (t) => {
  const w = await world(t, { from: 'empty', seedFile: new URL('../world.yaml', import.meta.url) });
  const { url, headers } = w.services.tasks.with(w.env.MARY_TOKEN);
  const lists = await (await fetch(`${url}/tasks/v1/users/@me/lists`, { headers })).json();
  assert.ok(lists.items.some((list) => list.title === 'Opening'));
  (await w.conduct()).mustBeClean();
});
