// Drives service M with the vendor's older npm client, unmodified. Its addresses and times are those of
// requests, which every call is given.
import assert from 'node:assert/strict';
import { writeFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FunctionCallingMode, GoogleGenerativeAI, GoogleGenerativeAIFetchError, SchemaType } from '@google/generative-ai';
import { GoogleAICacheManager, GoogleAIFileManager } from '@google/generative-ai/server';
import { counts, isAdult, reports, says, storyLength, tells } from './spoken.mjs';

const key = process.env.STOA_MODEL_KEY;
const address = { baseUrl: process.env.STOA_URL };
const vendor = new GoogleGenerativeAI(key);
const id = 'gemini-2.5-flash';
const short = { maxOutputTokens: storyLength };
const model = vendor.getGenerativeModel({ model: id, generationConfig: short }, address);

const chat = model.startChat({ systemInstruction: { role: 'system', parts: [{ text: 'Be brief.' }] } });
await chat.sendMessage('Hello');
const bye = await chat.sendMessage('repeat: bye now');
says(bye.response.text(), 'bye now');
counts(bye.response.usageMetadata.candidatesTokenCount, 2);
assert.equal((await chat.getHistory()).length, 4);

let whole = '', chunks = 0;
const story = await model.generateContentStream('Tell me a story');
for await (const chunk of story.stream) {
  whole += chunk.text();
  chunks++;
}
tells(whole, chunks);
assert.equal((await story.response).text(), whole);

const tools = [{
  functionDeclarations: [{
    name: 'get_weather', description: 'the weather in a city',
    parameters: { type: SchemaType.OBJECT, properties: { city_name: { type: SchemaType.STRING } }, required: ['city_name'] },
  }],
}];
const asked = [{ role: 'user', parts: [{ text: 'Weather in Rome?' }] }];
const called = (await model.generateContent({
  contents: asked, tools, toolConfig: { functionCallingConfig: { mode: FunctionCallingMode.ANY } },
})).response;
const [call] = called.functionCalls();
assert.equal(call.name, 'get_weather');
assert.ok(call.args.city_name);
const told = await model.generateContent({
  contents: [...asked, called.candidates[0].content,
    { role: 'function', parts: [{ functionResponse: { name: call.name, response: { sky_state: 'clear' } } }] }],
  tools,
});
reports(told.response.text());

const json = await model.generateContent({
  contents: [{ role: 'user', parts: [{ text: 'a person' }] }],
  generationConfig: {
    responseMimeType: 'application/json',
    responseSchema: { type: SchemaType.OBJECT, properties: { age: { type: SchemaType.INTEGER, minimum: 18 } }, required: ['age'] },
  },
});
isAdult(JSON.parse(json.response.text()).age);

const path = join(mkdtempSync(join(tmpdir(), 'older-')), 'notes.txt');
writeFileSync(path, 'The sea is wine-dark.');
const files = new GoogleAIFileManager(key, address);
const { file } = await files.uploadFile(path, { mimeType: 'text/plain', displayName: 'notes' });
assert.equal((await files.getFile(file.name)).state, 'ACTIVE');
assert.ok((await files.listFiles()).files.some((f) => f.name === file.name));
await model.generateContent(['Hello', { fileData: { fileUri: file.uri, mimeType: file.mimeType } }]);
await files.deleteFile(file.name);

const caches = new GoogleAICacheManager(key, address);
const cache = await caches.create({
  model: id, ttlSeconds: 600, contents: [{ role: 'user', parts: [{ text: 'one two three four '.repeat(300) }] }],
});
const cached = await vendor.getGenerativeModelFromCachedContent(cache, { generationConfig: short }, address).generateContent('Hello');
assert.ok(cached.response.usageMetadata.cachedContentTokenCount > 1000);
assert.ok((await caches.list()).cachedContents.some((c) => c.name === cache.name));
await caches.update(cache.name, { cachedContent: { ttlSeconds: 900 } });
assert.equal((await caches.get(cache.name)).name, cache.name);
await caches.delete(cache.name);

counts((await model.countTokens('Hello, world!')).totalTokens, 4);
const embedder = vendor.getGenerativeModel({ model: 'text-embedding-004' }, address);
assert.equal((await embedder.embedContent('a cat')).embedding.values.length, 768);
const both = await embedder.batchEmbedContents({
  requests: ['a cat', 'a feline'].map((text) => ({ content: { role: 'user', parts: [{ text }] } })),
});
assert.equal(both.embeddings.length, 2);

await assert.rejects(vendor.getGenerativeModel({ model: 'unheard-of' }, address).generateContent('x'),
  (e) => e instanceof GoogleGenerativeAIFetchError && e.status === 404);
await assert.rejects(new GoogleGenerativeAI('wrong').getGenerativeModel({ model: id }, address).generateContent('x'),
  (e) => e.status === 400 && e.errorDetails.some((d) => d.reason === 'API_KEY_INVALID'));
