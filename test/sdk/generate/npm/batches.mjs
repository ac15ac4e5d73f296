// Drives batches of service M with the official npm client, unmodified.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { GoogleGenAI } from '@google/genai';
import { says } from './spoken.mjs';

const ai = new GoogleGenAI({ apiKey: process.env.STOA_MODEL_KEY, httpOptions: { baseUrl: process.env.STOA_URL } });
const model = 'gemini-2.5-flash';
const config = { maxOutputTokens: 10 };

async function ended({ name }) {
  for (;;) {
    const batch = await ai.batches.get({ name });
    if (!['JOB_STATE_PENDING', 'JOB_STATE_RUNNING'].includes(batch.state)) return batch;
    await setTimeout(200);
  }
}

const inline = await ended(await ai.batches.create({
  model, config: { displayName: 'mine' },
  src: [
    { contents: [{ role: 'user', parts: [{ text: 'repeat: one' }] }], config, metadata: { my_key: 'a' } },
    { contents: [{ role: 'user', parts: [{ text: 'repeat: two' }] }], config },
  ],
}));
assert.equal(inline.state, 'JOB_STATE_SUCCEEDED');
assert.equal(inline.displayName, 'mine');
assert.equal(inline.dest.inlinedResponses.length, 2);
assert.equal(inline.dest.inlinedResponses[0].metadata.my_key, 'a');
says(inline.dest.inlinedResponses[1].response.candidates[0].content.parts[0].text, 'two');
const names = [];
for await (const batch of await ai.batches.list()) names.push(batch.name);
assert.deepEqual(names, [inline.name]);

const folder = mkdtempSync(join(tmpdir(), 'batches-'));
const path = join(folder, 'requests.jsonl');
writeFileSync(path, JSON.stringify({
  key: 'a', request: { contents: [{ parts: [{ text: 'repeat: one' }] }], generation_config: { max_output_tokens: 10 } },
}) + '\n');
const file = await ai.files.upload({ file: path, config: { mimeType: 'application/jsonl' } });
const lines = await ended(await ai.batches.create({ model, src: file.name }));
const downloadPath = join(folder, 'results.jsonl');
await ai.files.download({ file: lines.dest.fileName, downloadPath });
while (!readFileSync(downloadPath, 'utf8').endsWith('\n')) await setTimeout(50);
const result = JSON.parse(readFileSync(downloadPath, 'utf8'));
assert.equal(result.key, 'a');
says(result.response.candidates[0].content.parts[0].text, 'one');

const embedded = await ended(await ai.batches.createEmbeddings({
  model: 'gemini-embedding-001',
  src: { inlinedRequests: { contents: ['a cat', 'a feline'], config: { outputDimensionality: 32 } } },
}));
assert.equal(embedded.dest.inlinedEmbedContentResponses.length, 2);
assert.equal(embedded.dest.inlinedEmbedContentResponses[1].response.embedding.values.length, 32);

await ai.batches.delete({ name: inline.name });
await assert.rejects(ai.batches.get({ name: inline.name }), /404|not found/i);
const many = Array.from({ length: 200 }, () => ({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }], config }));
const cancelled = await ai.batches.create({ model, src: many });
await ai.batches.cancel({ name: cancelled.name });
assert.equal((await ended(cancelled)).state, 'JOB_STATE_CANCELLED');
