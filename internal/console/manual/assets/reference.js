// Sends the form of an operation to this server and shows the answer. Nothing
// is stored and nothing is loaded from elsewhere.
'use strict';

const key = document.querySelector('form.key');
key.addEventListener('submit', event => event.preventDefault());

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
  for (const input of form.querySelectorAll('input[data-in]')) {
    if (input.dataset.in === 'path') path = path.replace('{' + input.name + '}', encodeURIComponent(input.value));
    else if (input.value !== '') query.set(input.name, input.value);
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
    init.body = body.value;
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
  out.append(pre);
}

// missing says which required field is empty, where people look for the answer.
function missing(form, out) {
  const empty = [...form.querySelectorAll('input[required]')].filter(input => input.value === '');
  for (const input of form.querySelectorAll('input[required]')) input.setAttribute('aria-invalid', String(input.value === ''));
  if (!empty.length) return false;
  show(out, 'problem', 'Fill in ' + empty.map(input => input.name).join(', ') + ' first: the request needs it.', '');
  empty[0].focus();
  return true;
}

async function send(form) {
  const out = form.querySelector('output');
  if (missing(form, out)) return;
  const {url, init} = requestOf(form);
  const began = performance.now();
  try {
    const response = await fetch(url, init);
    const text = await textOf(response);
    const took = Math.round(performance.now() - began);
    const id = response.headers.get('X-Request-Id');
    show(out, response.ok ? 'good' : 'problem',
      `${response.status} ${response.statusText} · ${took} ms · ${init.method} ${url.pathname}${id ? ' · request ' + id : ''}`, text);
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

// An address with an operation's name opens it.
function openNamed() {
  const named = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named && named.tagName === 'DETAILS') named.open = true;
}
addEventListener('hashchange', openNamed);
openNamed();
