// Sends the form of an operation to this server and shows the answer: with the
// credential of the page, or else as the reader who is signed in to the console.
// Nothing is stored and nothing is loaded from elsewhere.
'use strict';

const key = document.querySelector('form.key');
key.addEventListener('submit', event => event.preventDefault());

// What stands before /docs/: the address of this world.
const base = location.origin + location.pathname.slice(0, location.pathname.indexOf('/docs/'));

// The variables of demo.env, and two that the clock knows.
function variables() {
  const seconds = Math.floor(Date.now() / 1000);
  const known = new Map([['NOW', String(seconds)], ['HOUR_AGO', String(seconds - 3600)], ['STOA_URL', base]]);
  for (const line of document.getElementById('variables').value.split('\n')) {
    const found = /^\s*(?:export\s+)?([A-Z_]+)=(.*)$/.exec(line);
    if (found) known.set(found[1], found[2].trim().replace(/^'(.*)'$/, '$1'));
  }
  return known;
}

const variable = /\$(STOA_[A-Z_]+|NOW|HOUR_AGO)\b/g;

function filled(text, known) {
  return text.replace(variable, (whole, name) => known.get(name) ?? whole);
}

// The credentials are among the variables.
document.getElementById('variables').addEventListener('input', () => {
  const known = variables();
  for (const input of key.querySelectorAll('input[data-variable]')) input.value = known.get(input.dataset.variable) ?? input.value;
});

// Who reads the page: the console knows by its cookie, which no script sees.
let reader = {};
const service = location.pathname.split('/').pop();

async function askReader() {
  const said = document.getElementById('reader');
  if (!said) return; // the service takes no credential
  try {
    reader = await (await fetch(base + '/console/try', {credentials: 'same-origin'})).json();
  } catch {
    return; // a page without a console beside it
  }
  said.hidden = false;
  if (reader.user) {
    said.textContent = 'You are signed in as ' + reader.user + ': without a credential, forms are sent as you.';
    return;
  }
  const link = document.createElement('a');
  link.href = base + '/console/sign-in?next=' + encodeURIComponent(location.pathname.slice(base.length - location.origin.length));
  link.textContent = 'Sign in';
  said.replaceChildren(link, ' to send the forms as yourself, or fill in a credential.');
}
askReader();

// asReader reports whether a form is sent as the signed-in reader: it needs a credential
// and the page has none.
function asReader(form) {
  const typed = [...key.querySelectorAll('input[data-in]')].some(input => input.value.trim());
  return Boolean(form.dataset.secured && reader.form && !typed);
}

// fetchAsReader has the console send the request. The token shows that this page did,
// and not one of another site.
async function fetchAsReader(url, init) {
  const form = new URLSearchParams({
    form: reader.form, method: init.method, target: url.pathname.slice(base.length - location.origin.length) + url.search,
    headers: document.getElementById('headers').value, kind: init.headers.get('Content-Type') || '', body: init.body || '',
  });
  const response = await fetch(base + '/console/try/' + service,
    {method: 'POST', body: form, credentials: 'same-origin'});
  if (!response.ok) {
    const why = {401: 'the session has ended: sign in again', 413: 'the form is too large', 429: 'too many forms were sent: try again later'};
    throw new Error(why[response.status] || 'the console answers ' + response.status);
  }
  const {status, header, text, bytes} = await response.json();
  const none = [204, 205, 304].includes(status);
  return new Response(none ? null : bytes ? new Uint8Array(bytes) : text, {status, headers: header});
}

function furtherHeaders(headers) {
  for (const line of document.getElementById('headers').value.split('\n')) {
    const at = line.indexOf(':');
    if (at > 0) headers.set(line.slice(0, at).trim(), line.slice(at + 1).trim());
  }
}

function present(url, headers) {
  for (const input of key.querySelectorAll('input[data-in]')) {
    const value = input.value.trim();
    if (!value) continue;
    if (input.dataset.in === 'bearer') headers.set('Authorization', 'Bearer ' + value);
    else if (input.dataset.in === 'header') headers.set(input.dataset.name, value);
    else url.searchParams.set(input.dataset.name, value);
  }
}

function requestOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  const known = variables();
  for (const input of form.querySelectorAll('input[data-in]')) {
    const value = filled(input.value, known);
    if (input.dataset.in === 'path') path = path.replace('{' + input.name + '}', encodeURIComponent(value));
    else if (value !== '') query.set(input.name, value);
  }
  const url = new URL(path, location.origin);
  url.search = query.toString();
  const headers = new Headers();
  furtherHeaders(headers);
  if (form.dataset.secured) present(url, headers);
  const init = {method: form.dataset.method, headers, credentials: 'omit', redirect: 'follow'};
  const body = form.querySelector('textarea[name=body]');
  if (body) {
    headers.set('Content-Type', form.dataset.kind);
    init.body = filled(body.value, known);
  }
  return {url, init};
}

async function textOf(response) {
  const kind = response.headers.get('Content-Type') || '';
  if (!/json|text|xml|^$/.test(kind)) return (await response.arrayBuffer()).byteLength + ' bytes of ' + kind;
  const text = await response.text();
  if (!kind.includes('json')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function show(out, state, words, text) {
  out.hidden = false;
  out.className = state;
  const line = document.createElement('p');
  line.textContent = words;
  out.replaceChildren(line);
  if (!text) return;
  const pre = document.createElement('pre');
  pre.textContent = text;
  pre.tabIndex = 0;
  out.append(pre);
}

// missing says which required field is empty, where the answer is shown.
function missing(form, out) {
  const empty = [...form.querySelectorAll('input[required]')].filter(input => input.value === '');
  for (const input of form.querySelectorAll('input[required]')) input.setAttribute('aria-invalid', String(input.value === ''));
  if (!empty.length) return false;
  show(out, 'problem', 'Fill in ' + empty.map(input => input.name).join(', ') + ' first: the request needs it.', '');
  empty[0].focus();
  return true;
}

// unknown says which variable of the form has no value.
function unknown(form, out) {
  const known = variables();
  const text = [...form.querySelectorAll('input, textarea')].map(field => field.value).join('\n');
  const names = [...new Set([...text.matchAll(variable)].map(found => found[1]))].filter(name => !known.has(name));
  if (!names.length) return false;
  show(out, 'problem', 'The form names $' + names.join(', $') + ': paste demo.env into the variables above, or type a value of your own.', '');
  document.getElementById('variables').focus();
  return true;
}

async function send(form) {
  const out = form.querySelector('output');
  if (missing(form, out) || unknown(form, out)) return;
  const {url, init} = requestOf(form);
  const began = performance.now();
  try {
    const response = await (asReader(form) ? fetchAsReader(url, init) : fetch(url, init));
    const text = await textOf(response);
    const took = Math.round(performance.now() - began);
    const id = response.headers.get('X-Request-Id');
    const key = document.getElementById('credential');
    const hint = response.status === 401 && key ? ' · sign in, or fill in the credential at the top of this page' : '';
    show(out, response.ok ? 'good' : 'problem',
      `${response.status} ${response.statusText} · ${took} ms · ${init.method} ${url.pathname}${id ? ' · request ' + id : ''}${hint}`, text);
  } catch (error) {
    show(out, 'problem', 'The request was not sent', String(error));
  }
}

for (const form of document.querySelectorAll('form.try')) {
  form.noValidate = true; // missing() says it in words that stay
  form.addEventListener('submit', event => {
    event.preventDefault();
    send(form);
  });
}

// encoded is a part of a path; variables stay as they are.
function encoded(text) {
  return text.split(/(\$STOA_[A-Z_]+\b)/).map((piece, i) => (i % 2 ? piece : encodeURIComponent(piece))).join('');
}

// callOf is the call of a form in words that a program can have: variables of demo.env
// are named and not filled in, and credentials are among them.
function callOf(form) {
  const clock = new Map([...variables()].filter(([name]) => !name.startsWith('STOA_')));
  let path = form.dataset.path;
  const query = [];
  for (const input of form.querySelectorAll('input[data-in]')) {
    const value = filled(input.value, clock);
    if (value === '') continue;
    if (input.dataset.in === 'path') path = path.replace('{' + input.name + '}', () => encoded(value));
    else query.push(encodeURIComponent(input.name) + '=' + encoded(value));
  }
  const headers = new Map();
  for (const line of document.getElementById('headers').value.split('\n')) {
    const at = line.indexOf(':');
    if (at > 0) headers.set(line.slice(0, at).trim(), line.slice(at + 1).trim());
  }
  if (form.dataset.secured) {
    for (const input of key.querySelectorAll('input[data-in]')) {
      const named = '$' + (input.dataset.variable || 'STOA_TOKEN');
      if (input.dataset.in === 'bearer') headers.set('Authorization', 'Bearer ' + named);
      else if (input.dataset.in === 'header') headers.set(input.dataset.name, named);
      else query.push(encodeURIComponent(input.dataset.name) + '=' + named);
    }
  }
  const body = form.querySelector('textarea[name=body]');
  if (body) headers.set('Content-Type', form.dataset.kind);
  return {
    method: form.dataset.method, url: '$STOA_URL' + path + (query.length ? '?' + query.join('&') : ''),
    headers: [...headers], body: body ? filled(body.value, clock) : null,
  };
}

function writeCode(form) {
  const call = callOf(form);
  for (const block of form.querySelectorAll('.code')) {
    block.querySelector('code').textContent = callCode(block.dataset.language, call);
  }
}

for (const part of document.querySelectorAll('.as-code')) {
  const form = part.closest('form');
  part.hidden = false;
  part.addEventListener('toggle', () => { if (part.open) writeCode(form); });
  form.addEventListener('input', () => { if (part.open) writeCode(form); });
  key.addEventListener('input', () => { if (part.open) writeCode(form); });
}

// An address with an operation's name opens it.
function openNamed() {
  const named = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named && named.tagName === 'DETAILS') named.open = true;
}
addEventListener('hashchange', openNamed);
openNamed();
