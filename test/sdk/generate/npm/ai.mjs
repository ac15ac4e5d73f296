// Drives service M with the AI SDK and its provider of the vendor's form, unmodified.
import assert from 'node:assert/strict';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { embedMany, generateObject, generateText, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { counts, pulled, reports, says, storyLength, tells } from './spoken.mjs';

const google = createGoogleGenerativeAI({
  baseURL: process.env.STOA_URL + '/v1beta', apiKey: process.env.STOA_MODEL_KEY,
});
const model = google('gemini-2.5-flash');

const bye = await generateText({ model, prompt: 'repeat: bye now', maxRetries: 0, maxOutputTokens: storyLength });
says(bye.text, 'bye now');
assert.ok(bye.finishReason === 'stop' || pulled);
counts(bye.usage.outputTokens, 2);

let whole = '', chunks = 0;
const story = streamText({ model, prompt: 'Tell me a story', maxRetries: 0, maxOutputTokens: storyLength });
for await (const part of story.textStream) {
  whole += part;
  chunks++;
}
tells(whole, chunks);

// The SDK runs the tool and asks again by itself.
let city;
const steps = await generateText({
  model, prompt: 'Weather in Rome? Use get_weather.', stopWhen: stepCountIs(3), maxRetries: 0,
  maxOutputTokens: 2 * storyLength,
  tools: {
    get_weather: tool({
      description: 'the weather in a city', inputSchema: z.object({ city_name: z.string() }),
      execute: async ({ city_name: name }) => { city = name; return { sky_state: 'clear' }; },
    }),
  },
});
assert.ok(city);
reports(steps.text);

const { object } = await generateObject({
  model, prompt: 'a person', schema: z.object({ name: z.string().max(20), age: z.number().int() }), maxRetries: 0,
});
assert.ok(Number.isInteger(object.age) && object.name, JSON.stringify(object));

const { embeddings } = await embedMany({
  model: google.textEmbeddingModel('gemini-embedding-001'), values: ['a cat', 'a feline'], maxRetries: 0,
});
assert.equal(embeddings.length, 2);

const thinking = await generateText({
  model, prompt: 'repeat: thought', maxRetries: 0, maxOutputTokens: 8192,
  providerOptions: { google: { thinkingConfig: { thinkingBudget: 128 } } },
});
says(thinking.text, 'thought');
await assert.rejects(generateText({ model: google('unheard-of'), prompt: 'Hello', maxRetries: 0 }),
  (e) => e.statusCode === 404);
