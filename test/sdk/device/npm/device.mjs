// The device flow with an unmodified openid-client: discovery, device code,
// polling, refresh and revocation, then a denial.
import { execFileSync } from 'node:child_process'
import * as client from 'openid-client'

const env = process.env
const decide = (what, code) =>
  execFileSync(env.STOA_BINARY, ['grant', what, code, '--user', env.STOA_USER, '--data', env.STOA_DATA])

for (const algorithm of ['oidc', 'oauth2']) {
  const config = await client.discovery(
    new URL(env.STOA_URL), env.STOA_DEVICE_CLIENT_ID, env.STOA_DEVICE_CLIENT_SECRET,
    client.ClientSecretPost(env.STOA_DEVICE_CLIENT_SECRET), { algorithm, execute: [client.allowInsecureRequests] })

  const started = await client.initiateDeviceAuthorization(config, { scope: 'video.readonly' })
  setTimeout(() => decide('approve', started.user_code), 1500)
  const tokens = await client.pollDeviceAuthorizationGrant(config, started)
  if (!tokens.access_token || !tokens.refresh_token) throw new Error('no tokens: ' + JSON.stringify(tokens))

  const renewed = await client.refreshTokenGrant(config, tokens.refresh_token)
  if (renewed.access_token === tokens.access_token) throw new Error('the refresh returned the old token')
  await client.tokenRevocation(config, renewed.refresh_token)
  await client.refreshTokenGrant(config, renewed.refresh_token).then(
    () => { throw new Error('a revoked token was refreshed') },
    (error) => { if (error.error !== 'invalid_grant') throw error })

  const refused = await client.initiateDeviceAuthorization(config, { scope: 'video.readonly' })
  decide('deny', refused.user_code)
  await client.pollDeviceAuthorizationGrant(config, refused).then(
    () => { throw new Error('a denied device got tokens') },
    (error) => { if (error.error !== 'access_denied') throw error })
}
console.log('every flow is complete')
