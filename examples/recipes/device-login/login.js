// Signs a television in: shows a code and polls until the user has decided.
const form = (members) => ({ method: 'POST', body: new URLSearchParams(members) });

export async function login({ clientId, clientSecret, deviceAuthorizationEndpoint, tokenEndpoint }, show, sleep) {
  const answer = await fetch(deviceAuthorizationEndpoint, form({ client_id: clientId, scope: 'video.readonly' }));
  const code = await answer.json();
  await show(code.user_code);
  for (let pause = code.interval; ;) {
    await sleep(pause);
    const token = await (await fetch(tokenEndpoint, form({
      client_id: clientId,
      client_secret: clientSecret,
      device_code: code.device_code,
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    }))).json();
    if (token.access_token) return token;
    if (token.error === 'slow_down') pause += 5;
    else if (token.error !== 'authorization_pending') throw new Error(token.error);
  }
}
