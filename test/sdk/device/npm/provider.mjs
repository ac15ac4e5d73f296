// The other way round: users of an OpenID Connect provider of other making sign in at
// this server. The provider is npm oidc-provider with its own pages; the server is the
// binary under test, started with identity.oidc.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Provider } from 'oidc-provider'

const freePort = () => new Promise(resolve => {
  const s = createServer().listen(0, '127.0.0.1', () => { const { port } = s.address(); s.close(() => resolve(port)) })
})
const unescape = text => text.replaceAll('&#34;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<')
  .replaceAll('&gt;', '>').replaceAll('&#43;', '+').replaceAll('&amp;', '&')

const [ours, theirs] = [await freePort(), await freePort()]
const issuer = `http://127.0.0.1:${theirs}`
const stoa = `http://127.0.0.1:${ours}`
let groups = ['developers']
const provider = new Provider(issuer, {
  clients: [{
    client_id: 'stoa', client_secret: 'a secret of the client', response_types: ['code'], grant_types: ['authorization_code'],
    redirect_uris: [stoa + '/console/sign-in/provider/answer']
  }],
  claims: { openid: ['sub'], profile: ['name', 'preferred_username'], email: ['email', 'email_verified'], groups: ['groups'] },
  scopes: ['openid', 'profile', 'email', 'groups'],
  pkce: { required: () => true },
  cookies: { keys: ['a key of cookies'] },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, name: 'Grace H.', preferred_username: id, email: id + '@navy.test', email_verified: true, groups })
  })
})
const listener = http.createServer(provider.callback()).listen(theirs, '127.0.0.1')

const data = mkdtempSync(join(tmpdir(), 'stoa-provider-'))
writeFileSync(join(data, 'secret'), 'a secret of the client\n', { mode: 0o600 })
writeFileSync(join(data, 'stoa.yaml'), `
listen: {http: "127.0.0.1:${ours}"}
data: ${join(data, 'stoa')}
identity:
  oidc:
    issuer: ${issuer}
    client_id: stoa
    client_secret_file: ${join(data, 'secret')}
    name: the navy
    scopes: [profile, email, groups]
    allowed_domains: [navy.test]
    groups: ["developers=org/yard/owner"]
`)
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('STOA_')))
const server = spawn(process.env.STOA_BINARY, ['serve', '--config', join(data, 'stoa.yaml')],
  { stdio: ['ignore', 'ignore', 'pipe'], env: environment })
let log = ''
server.stderr.on('data', text => { log += text })
const command = (...args) => JSON.parse(execFileSync(process.env.STOA_BINARY,
  [...args, '--json', '--data', join(data, 'stoa')], { env: environment }))

// browser follows redirects between the two and keeps the cookies of each.
class Browser {
  jar = new Map()
  async send (url, init = {}) {
    for (let n = 0; n < 20; n++) {
      const { host } = new URL(url)
      const cookie = [...this.jar].filter(([key]) => key.startsWith(host + ' '))
        .map(([key, value]) => `${key.slice(host.length + 1)}=${value}`).join('; ')
      const answer = await fetch(url, { redirect: 'manual', ...init, headers: { accept: 'text/html', cookie, ...init.headers } })
      for (const line of answer.headers.getSetCookie()) {
        const [, name, value] = line.match(/^([^=]+)=([^;]*)/)
        this.jar.set(host + ' ' + name, value)
      }
      if (answer.status < 300 || answer.status > 399) return { url, status: answer.status, page: await answer.text() }
      url = new URL(answer.headers.get('location'), url).href
      init = {}
    }
    throw new Error('too many redirects')
  }

  submit ({ url, page }, fields) {
    const [, action, inside] = page.match(/<form[^>]*action="([^"]*)"[^>]*>([^]*?)<\/form>/)
    const body = new URLSearchParams(fields)
    for (const [, name, value] of inside.matchAll(/<input type="hidden" name="([a-z_]+)" value="([^"]*)"/g)) {
      body.set(name, unescape(value))
    }
    return this.send(new URL(unescape(action), url).href, { method: 'POST', body })
  }

  async signIn (name) {
    let at = await this.send(stoa + '/console/sign-in?next=/console/tokens')
    const [, link] = at.page.match(/href="(\/console\/sign-in\/provider[^"]*)">Sign in with the navy</)
    at = await this.send(stoa + unescape(link))
    assert.equal(new URL(at.url).origin, issuer)
    at = await this.submit(at, { login: name, password: 'any' })
    return this.submit(at, {}) // consent
  }
}

try {
  for (let n = 0; ; n++) {
    try { if ((await fetch(stoa + '/readyz')).ok) break } catch { if (n > 300) throw new Error(log) }
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  command('org', 'add', 'yard')
  const at = await new Browser().signIn('grace')
  assert.equal(at.url, stoa + '/console/tokens', at.page)
  assert.equal(at.status, 200)
  let user = command('user', 'show', 'grace')
  assert.equal(user.email, 'grace@navy.test')
  assert.equal(user.display_name, 'Grace H.')
  assert.deepEqual(user.orgs, [{ name: 'yard', role: 'owner' }])
  assert.deepEqual(user.links, [{ issuer, subject: 'grace' }])
  console.log('ok a first sign-in makes the user and the memberships of its groups')

  groups = []
  await new Browser().signIn('grace')
  const before = user
  user = command('user', 'show', 'grace')
  assert.equal(user.id, before.id)
  assert.deepEqual(user.orgs, [])
  console.log('ok a later sign-in without the group ends the membership')

  command('user', 'disable', 'grace')
  const refused = await new Browser().signIn('grace')
  assert.equal(refused.status, 403)
  assert.match(refused.page, /This account is disabled/)
  console.log('ok a disabled user stays out')
  console.log('every flow is complete')
} catch (err) {
  console.error(log)
  throw err
} finally {
  server.kill()
  listener.close()
  listener.closeAllConnections()
  rmSync(data, { recursive: true, force: true })
}
