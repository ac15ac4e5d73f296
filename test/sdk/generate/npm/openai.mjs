// Drives the other form with the official OpenAI client, unmodified.
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { counts, isAdult, pulled, reports, says, storyLength, tells } from './spoken.mjs';

const client = new OpenAI({ baseURL: process.env.STOA_URL + '/v1', apiKey: process.env.STOA_MODEL_KEY, maxRetries: 0 });
const model = 'gemini-2.5-flash';

const bye = await client.chat.completions.create({
  model, max_tokens: storyLength, messages: [{ role: 'user', content: 'repeat: bye now' }],
});
says(bye.choices[0].message.content, 'bye now');
counts(bye.usage.completion_tokens, 2);

let whole = '', chunks = 0;
for await (const chunk of await client.chat.completions.create({
  model, stream: true, max_tokens: storyLength, messages: [{ role: 'user', content: 'Tell me a story' }],
})) {
  whole += chunk.choices[0]?.delta?.content ?? '';
  chunks++;
}
tells(whole, chunks);

// The client runs the function and asks again by itself.
let city;
const runner = client.chat.completions.runTools({
  model, temperature: 0, messages: [{ role: 'user', content: 'Weather in Rome? Use get_weather.' }],
  tools: [{
    type: 'function',
    function: {
      name: 'get_weather', description: 'the weather in a city', parse: JSON.parse,
      parameters: { type: 'object', properties: { city_name: { type: 'string' } }, required: ['city_name'] },
      function: (args) => { city = args.city_name; return { sky_state: 'clear' }; },
    },
  }],
});
reports(await runner.finalContent());
assert.ok(city);

const response = await client.responses.create({ model, input: 'repeat: bye now', max_output_tokens: storyLength });
says(response.output_text, 'bye now');
const kinds = [];
for await (const event of await client.responses.create({ model, input: 'Tell me a story', stream: true, max_output_tokens: storyLength })) {
  kinds.push(event.type);
}
assert.equal(kinds[0], 'response.created');
assert.ok(['response.completed', pulled && 'response.incomplete'].includes(kinds.at(-1)), kinds.at(-1));

const person = await client.chat.completions.create({
  model, messages: [{ role: 'user', content: 'a person' }],
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'person', schema: { type: 'object', properties: { age: { type: 'integer', minimum: 18 } } } },
  },
});
isAdult(JSON.parse(person.choices[0].message.content).age);

const embedded = await client.embeddings.create({ model: 'text-embedding-004', input: ['a cat', 'a feline'] });
assert.equal(embedded.data.length, 2);
assert.equal(embedded.data[0].embedding.length, 768);

const ids = [];
for await (const m of client.models.list()) ids.push(m.id);
assert.ok(ids.includes('stoa-script'), ids.join());

await assert.rejects(
  client.chat.completions.create({ model: 'unheard-of', messages: [{ role: 'user', content: 'Hello' }] }),
  (e) => e instanceof OpenAI.NotFoundError && e.message.length > 0);
await assert.rejects(new OpenAI({ baseURL: process.env.STOA_URL + '/v1', apiKey: 'wrong', maxRetries: 0 }).models.list(),
  OpenAI.AuthenticationError);
