// Drives service M with the official npm client, unmodified.
import assert from 'node:assert/strict';
import { writeFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GoogleGenAI, FunctionCallingConfigMode, Type } from '@google/genai';
import { counts, isAdult, says, storyLength, tells } from './spoken.mjs';

const ai = new GoogleGenAI({ apiKey: process.env.STOA_MODEL_KEY, httpOptions: { baseUrl: process.env.STOA_URL } });
const model = 'gemini-2.5-flash';

const config = { maxOutputTokens: storyLength };
const chat = ai.chats.create({ model, config });
await chat.sendMessage({ message: 'Hello' });
const bye = await chat.sendMessage({ message: 'repeat: bye now' });
says(bye.text, 'bye now');
counts(bye.usageMetadata.candidatesTokenCount, 2);

let whole = '', chunks = 0;
for await (const chunk of await ai.models.generateContentStream({ model, contents: 'Tell me a story', config })) {
  whole += chunk.text ?? '';
  chunks++;
}
tells(whole, chunks);

const call = await ai.models.generateContent({
  model, contents: 'Weather in Rome?',
  config: {
    tools: [{ functionDeclarations: [{ name: 'get_weather', parametersJsonSchema: { type: 'object', properties: { city_name: { type: 'string' } } } }] }],
    toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } },
  },
});
assert.equal(call.functionCalls[0].name, 'get_weather');
assert.ok(call.functionCalls[0].args.city_name);

const json = await ai.models.generateContent({
  model, contents: 'a person',
  config: { responseMimeType: 'application/json', responseSchema: { type: Type.OBJECT, properties: { age: { type: Type.INTEGER, minimum: 18 } } } },
});
isAdult(JSON.parse(json.text).age);

const path = join(mkdtempSync(join(tmpdir(), 'generate-')), 'notes.txt');
writeFileSync(path, 'The sea is wine-dark.');
let file = await ai.files.upload({ file: path, config: { mimeType: 'text/plain' } });
file = await ai.files.get({ name: file.name });
assert.equal(file.state, 'ACTIVE');
await ai.models.generateContent({ model, contents: [{ role: 'user', parts: [{ text: 'Hello' }, { fileData: { fileUri: file.uri, mimeType: file.mimeType } }] }], config });
await ai.files.delete({ name: file.name });

const cache = await ai.caches.create({ model, config: { contents: 'one two three four '.repeat(300), ttl: '600s' } });
const cached = await ai.models.generateContent({ model, contents: 'Hello', config: { ...config, cachedContent: cache.name } });
assert.equal(cached.usageMetadata.cachedContentTokenCount, cache.usageMetadata.totalTokenCount);
await ai.caches.delete({ name: cache.name });

counts((await ai.models.countTokens({ model, contents: 'Hello, world!' })).totalTokens, 4);
const embedded = await ai.models.embedContent({ model: 'gemini-embedding-001', contents: ['a', 'b'], config: { outputDimensionality: 32 } });
assert.deepEqual(embedded.embeddings.map((e) => e.values.length), [32, 32]);
const names = [];
for await (const m of await ai.models.list()) names.push(m.name);
assert.ok(names.includes('models/stoa-script'));
await assert.rejects(ai.models.generateContent({ model: 'unheard-of', contents: 'x' }), /404|not found/i);
