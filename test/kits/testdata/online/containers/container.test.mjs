import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lab, world } from 'stoatest';
import { StoaContainer } from 'stoatest-testcontainers';

test('a world in a container', async (t) => {
  const container = await new StoaContainer(process.env.STOA_IMAGE).start();
  t.after(() => container.stop());
  const w = await world({ lab: new Lab(container.labUrl, container.labToken) });
  const { url, headers } = w.services.tasks;
  assert.equal((await fetch(`${url}/tasks/v1/users/@me/lists`, { headers })).status, 200);
  await w.delete();
});
