import { expect, test } from 'vitest';
import { world } from 'stoatest';

test.concurrent.each([1, 2, 3])('a world of its own %i', async () => {
  const w = await world();
  expect((await fetch(`${w.url}/readyz`)).status).toBe(200);
  await w.delete();
});

test('gone with the test', async ({ onTestFinished }) => {
  const w = await world({ onTestFinished }, { at: '2026-03-01T09:00:00Z' });
  await expect(w.expect({ operation: 'tasklists.list' })).rejects.toThrow('expected at least 1');
});
