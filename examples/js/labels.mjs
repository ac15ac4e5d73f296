// Checks a label's title against the server's limits before anything is sent.
import {call, variable} from './stoa.mjs';

const title = process.argv[2] ?? 'Reviewed by the council of the stoa';
const limits = await call('GET', '/v2/limits/label?name=limits/label', {token: variable('STOA_TOKEN')});
const length = [...title].length;
if (length > limits.maxTitleLength) throw new Error(`the title has ${length} characters, the limit is ${limits.maxTitleLength}`);
console.log(`"${title}" fits: ${length} of ${limits.maxTitleLength} characters`);
