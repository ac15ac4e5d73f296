const { world } = require('stoatest');

test('a world', async () => {
  const w = await world({ at: '2026-03-01T09:00:00Z' });
  expect((await w.clock.advance('1h')).to).toBe('2026-03-01T10:00:00Z');
  await expect(w.expect({ operation: 'tasklists.list' })).rejects.toThrow('expected at least 1');
});
