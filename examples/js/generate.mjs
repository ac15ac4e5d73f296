// Streams an answer word by word, and asks how many tokens the question had.
import {call, url, variable} from './stoa.mjs';

const key = variable('STOA_MODEL_KEY');
const contents = [{parts: [{text: process.argv[2] ?? 'Tell me a story'}]}];
const model = '/v1beta/models/stoa-script';
const answer = await fetch(url(`${model}:streamGenerateContent?alt=sse&key=${key}`), {
  method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({contents}),
});
if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
let rest = '';
for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + part).split('\n');
  rest = lines.pop();
  for (const line of lines) {
    if (!line.startsWith('data: ')) continue;
    const chunk = JSON.parse(line.slice(6));
    process.stdout.write(chunk.candidates?.[0]?.content?.parts?.map(part => part.text ?? '').join('') ?? '');
  }
}
const {totalTokens} = await call('POST', `${model}:countTokens?key=${key}`, {body: {contents}});
console.log(`\n(the question had ${totalTokens} tokens)`);
