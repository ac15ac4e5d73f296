// Checked by tsc --strict, never run.
import { LabError, VERSION, theLab, world, type Advanced, type Finding, type World } from 'stoatest';
import setup from 'stoatest/setup';
import test from 'node:test';

test('types', async (t) => {
  const w: World = await world(t, { at: new Date(), rate: 60, seed: 7, config: { offline: true }, seedText: 'users: []' });
  const moved: Advanced = await w.clock.advance('1h');
  const rule = await w.faults.add({ match: { operation: 'token' }, when: { first: 2 }, deed: { fault: 'slow_down' } });
  await w.faults.remove(rule.id);
  await w.expect({ operation: 'token', body: { '/title': 'milk' } }, { exactly: moved.left, noCloserThan: 500 });
  const [message] = await (await w.inbox('hooks', { status: 503, times: 1 })).wait(1, '5s');
  const text: string = typeof message?.body === 'string' ? message.body : String(message?.body.base64);
  const findings: Finding[] = (await w.conduct()).findings;
  const { auth, baseUrl } = w.services.events.options;
  const key: string = w.services.generate.with('other').options.apiKey;
  console.log(VERSION, LabError.name, (await theLab()).env.STOA_LAB_URL, text, findings, auth, baseUrl, key);
  await setup();
  // @ts-expect-error a deed that does not exist
  await w.faults.add({ deed: { explode: true } });
  // @ts-expect-error a service that does not exist
  console.log(w.services.mail);
});
