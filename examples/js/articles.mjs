// Publishes release notes as an article and prints where they can be read.
import {call, variable} from './stoa.mjs';

const token = variable('STOA_TOKEN');
const body = '# Changes\n\n- the porch has a thirteenth column\n- `stoa exec` runs a command with a server\n';
const item = await call('POST', '/api/v2/items', {token, body: {title: 'Release notes', body, tags: [{name: 'release', versions: ['1.0']}]}});
const {items_count: count} = await call('GET', '/api/v2/authenticated_user', {token});
console.log(`${item.title} is at ${item.url}; you have written ${count} articles`);
