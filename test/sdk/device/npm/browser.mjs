// A browser without a window: it signs in and allows what an address asks for.
const env = process.env
const unescape = text => text.replaceAll('&#34;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<')
  .replaceAll('&gt;', '>').replaceAll('&#43;', '+').replaceAll('&amp;', '&')

// allow returns where the browser is sent after a yes.
export async function allow (address) {
  const jar = new Map()
  const send = async (url, init = {}) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, { redirect: 'manual', ...init, headers: { accept: 'text/html', cookie, ...init.headers } })
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = line.match(/^([^=]+)=([^;]*)/)
      jar.set(name, value)
    }
    return answer
  }
  const submit = (page, fields) => {
    const [, action, inside] = page.match(/<main[^]*<form method="post" action="([^"]*)">([^]*?)<\/form>/)
    const body = new URLSearchParams(fields)
    for (const [, name, value] of inside.matchAll(/<input type="hidden" name="([a-z_]+)" value="([^"]*)">/g)) {
      body.set(name, unescape(value))
    }
    return send(new URL(unescape(action), env.STOA_URL), { method: 'POST', body })
  }
  let answer = await send(address)
  answer = await submit(await answer.text(), { name: env.STOA_USER, password: env.STOA_PASSWORD })
  answer = await send(new URL(answer.headers.get('location'), env.STOA_URL))
  answer = await submit(await answer.text(), { decision: 'allow' })
  if (answer.status !== 303) throw new Error(`the decision was answered ${answer.status}: ${await answer.text()}`)
  return answer.headers.get('location')
}
