// Signs a television in: shows a code, waits until a person has approved it
// elsewhere, and gets a token. Where STOA_BIN is set the example approves for
// itself, so that it can run without a person.
import {execFileSync} from 'node:child_process';
import {call, pause, variable} from './stoa.mjs';

const client = {client_id: variable('STOA_DEVICE_CLIENT_ID'), client_secret: variable('STOA_DEVICE_CLIENT_SECRET')};
const grant = await call('POST', '/device/code', {form: {client_id: client.client_id, scope: 'video.readonly'}});
console.log(`open ${grant.verification_url} and type ${grant.user_code}`);
if (process.env.STOA_BIN) {
  execFileSync(process.env.STOA_BIN, ['grant', 'approve', grant.user_code, '--user', variable('STOA_USER')], {stdio: 'ignore'});
}
for (;;) {
  await pause(grant.interval);
  try {
    const form = {...client, device_code: grant.device_code, grant_type: 'urn:ietf:params:oauth:grant-type:device_code'};
    const token = await call('POST', '/token', {form});
    console.log(`signed in: a ${token.token_type} token for ${token.expires_in} seconds`);
    break;
  } catch (error) {
    if (!/authorization_pending|slow_down/.test(error.text)) throw error;
  }
}
