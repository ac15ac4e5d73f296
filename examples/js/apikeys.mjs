// Replaces a key before it expires, and shows that the old one is worthless from
// that moment: it is only told the new key again, in case the answer got lost.
import {call, variable} from './stoa.mjs';

const old = variable('STOA_SCHEDULING_KEY');
const refresh = (token, days) => call('POST', '/v2/api-keys/refresh', {token, body: {apiKeyDaysValid: days}});
const {data} = await refresh(old, 60);
console.log(`the new key has ${data.apiKey.length} characters and lives 60 days`);
const again = await refresh(old, 60);
console.log(`the same request gives the same key again: ${again.data.apiKey === data.apiKey}`);
const refused = await refresh(old, 30).catch(error => error.status);
if (refused !== 401) throw new Error(`the old key answers ${refused}`);
console.log('any other request with the old key is refused');
