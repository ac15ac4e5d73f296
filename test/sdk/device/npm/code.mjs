// The code flow with unmodified openid-client and oauth4webapi: discovery, proof
// key, consent, the id token verified with the published keys, userinfo, refresh.
// oauth4webapi then drives the device flow of analytics, whose endpoints know no client.
import { execFileSync } from 'node:child_process'
import * as client from 'openid-client'
import * as oauth from 'oauth4webapi'
import { allow } from './browser.mjs'

const env = process.env
const back = 'http://127.0.0.1:9999/callback'
const stoa = (...words) => JSON.parse(execFileSync(env.STOA_BINARY, [...words, '--data', env.STOA_DATA, '--json']))
const scope = 'openid email profile'
const scopes = scope.split(' ').flatMap(name => ['--scope', name])
const web = stoa('client', 'add', 'Website', '--type', 'web', '--redirect', back, ...scopes)
const tool = stoa('client', 'add', 'Tool', '--type', 'device', '--redirect', 'http://127.0.0.1/callback', ...scopes)
const must = (what, holds) => { if (!holds) throw new Error(what) }

for (const [made, proof] of [[web, client.ClientSecretPost(web.client_secret)], [web, client.ClientSecretBasic(web.client_secret)], [tool, client.None()]]) {
  const config = await client.discovery(new URL(env.STOA_URL), made.client_id, undefined, proof,
    { execute: [client.allowInsecureRequests] })
  const verifier = client.randomPKCECodeVerifier()
  const [state, nonce] = [client.randomState(), client.randomNonce()]
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: back, scope, state, nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
  })
  const tokens = await client.authorizationCodeGrant(config, new URL(await allow(address)),
    { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true })
  const claims = tokens.claims()
  must('the claims name another user', claims.preferred_username === env.STOA_USER)
  const info = await client.fetchUserInfo(config, tokens.access_token, claims.sub)
  must('userinfo names another user', info.preferred_username === env.STOA_USER)
  const renewed = await client.refreshTokenGrant(config, tokens.refresh_token)
  must('the refresh gave no id token', renewed.claims().sub === claims.sub)
  await client.tokenRevocation(config, renewed.access_token)
}

const insecure = { [oauth.allowInsecureRequests]: true }
const issuer = new URL(env.STOA_URL)
const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
const application = { client_id: web.client_id }
const proof = oauth.ClientSecretPost(web.client_secret)
const verifier = oauth.generateRandomCodeVerifier()
const nonce = oauth.generateRandomNonce()
const address = new URL(server.authorization_endpoint)
address.search = new URLSearchParams({
  client_id: web.client_id, redirect_uri: back, response_type: 'code', scope, state: 'one', nonce,
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
})
const parameters = oauth.validateAuthResponse(server, application, new URL(await allow(address)), 'one')
const answer = await oauth.authorizationCodeGrantRequest(server, application, proof, parameters, back, verifier, insecure)
const result = await oauth.processAuthorizationCodeResponse(server, application, answer, { expectedNonce: nonce, requireIdToken: true })
await oauth.validateApplicationLevelSignature(server, answer, insecure)
must('the id token names no user', oauth.getValidatedIdTokenClaims(result).sub)

const analytics = {
  issuer: env.STOA_URL, device_authorization_endpoint: env.STOA_URL + '/dag/device/code', token_endpoint: env.STOA_URL + '/dag/device/token',
}
const device = { client_id: 'an-application-that-nobody-registered' }
const started = await oauth.processDeviceAuthorizationResponse(analytics, device,
  await oauth.deviceAuthorizationRequest(analytics, device, oauth.None(), new URLSearchParams(), insecure))
execFileSync(env.STOA_BINARY, ['grant', 'approve', started.user_code, '--user', env.STOA_USER, '--data', env.STOA_DATA])
const token = await oauth.processDeviceCodeResponse(analytics, device,
  await oauth.deviceCodeGrantRequest(analytics, device, oauth.None(), started.device_code, insecure))
must('no token', token.access_token)
console.log('every flow is complete')
