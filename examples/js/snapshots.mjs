// Draws the load of the last day as a picture, waits until it is there, and
// saves it under the name that is given; without one it only says how large it is.
import {writeFile} from 'node:fs/promises';
import {call, pause, variable} from './stoa.mjs';

const file = process.argv[2];
const headers = {'SVC-API-KEY': variable('STOA_API_KEY'), 'SVC-APPLICATION-KEY': variable('STOA_APP_KEY')};
const end = Math.floor(Date.now() / 1000);
const query = new URLSearchParams({metric_query: 'avg:system.cpu.user{*} by {host}', start: end - 86400, end, title: 'Load'});
const {snapshot_url: picture} = await call('GET', `/api/v1/graph/snapshot?${query}`, {headers});
for (let left = 100; ; left--) {
  const answer = await fetch(picture);
  if (answer.ok && answer.headers.get('Content-Type') === 'image/png') {
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (file) await writeFile(file, bytes);
    console.log(`${file ?? 'the picture'}: ${bytes.readUInt32BE(16)} by ${bytes.readUInt32BE(20)} pixels, ${bytes.length} bytes`);
    break;
  }
  if (!left) throw new Error(`the picture is not there: ${answer.status}`);
  await pause(0.1);
}
