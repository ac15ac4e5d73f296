// Writes, publishes, changes and pulls articles with the command-line tool.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const work = process.env.WORK, here = fileURLToPath(new URL('.', import.meta.url));
const {host} = new URL(process.env.STOA_HTTPS_URL);
const env = {...process.env, QIITA_DOMAIN: host, QIITA_TOKEN: process.env.STOA_TOKEN, XDG_CONFIG_HOME: work, XDG_CACHE_HOME: work, CI: 'true'};
const qiita = (...args) => execFileSync(process.execPath, [join(here, 'node_modules/@qiita/qiita-cli/dist/main.js'), ...args], {cwd: work, env, encoding: 'utf8'});

qiita('init');
qiita('pull');
const pulled = readdirSync(join(work, 'public')).filter(name => name.endsWith('.md'));
assert.equal(pulled.length, 2, 'the demo user wrote two articles: ' + pulled);

qiita('new', 'steps');
const file = join(work, 'public', 'steps.md');
assert.ok(existsSync(file));
const fill = (title, body) => writeFileSync(file, readFileSync(file, 'utf8')
  .replace(/^title: .*$/m, `title: ${title}`).replace(/^tags:\n(  - .*\n)+/m, "tags:\n  - 'cli'\n").replace(/(---\n[^]*?\n---\n)[^]*/, `$1${body}\n`));
fill('From the command line', '# Hello');
assert.match(qiita('publish', 'steps'), /Posted: steps -> [0-9a-f]{20}/);
const id = /^id: ([0-9a-f]{20})$/m.exec(readFileSync(file, 'utf8'))[1];
const read = async () => (await fetch(`${process.env.STOA_URL}/api/v2/items/${id}`)).json();
assert.equal((await read()).title, 'From the command line');

fill('Changed on the command line', 'other text');
assert.match(qiita('publish', 'steps'), /Updated: steps/);
assert.equal((await read()).body, 'other text\n');

const answer = await fetch(`${process.env.STOA_URL}/api/v2/items/${id}`, {
  method: 'PATCH', headers: {Authorization: `Bearer ${process.env.STOA_TOKEN}`, 'Content-Type': 'application/json'}, body: JSON.stringify({body: 'from elsewhere'}),
});
assert.equal(answer.status, 200);
qiita('pull', '--force');
assert.match(readFileSync(file, 'utf8'), /from elsewhere/);
qiita('posting-campaigns');
const preview = await fetch(`${process.env.STOA_URL}/api/preview`, {
  method: 'POST', headers: {Authorization: `Bearer ${process.env.STOA_TOKEN}`, 'Content-Type': 'application/json'}, body: JSON.stringify({parser_type: 'x', raw_body: '*a*'}),
});
assert.equal((await preview.text()).trim(), '<p><em>a</em></p>');
