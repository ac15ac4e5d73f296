// Replaces a key before it expires, and shows that the old one is worthless
// from that moment.
import {call, variable} from './stoa.mjs';

const old = variable('STOA_SCHEDULING_KEY');
const refresh = token => call('POST', '/v2/api-keys/refresh', {token, body: {apiKeyDaysValid: 60}});
const {data} = await refresh(old);
console.log(`the new key has ${data.apiKey.length} characters and lives 60 days`);
const refused = await refresh(old).catch(error => error.status);
if (refused !== 401) throw new Error(`the old key answers ${refused}`);
console.log('the old key is refused');
