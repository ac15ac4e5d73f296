// What every page of the manual can do: search, copy code, choose a language. The pages
// read well without it, and nothing is loaded from elsewhere.
'use strict';

// What stands before /docs/: the address of this world.
const root = location.pathname.slice(0, location.pathname.indexOf('/docs'));

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// Copy buttons.
for (const code of document.querySelectorAll('.code')) {
  const button = element('button', {type: 'button', class: 'copy'}, 'Copy');
  button.addEventListener('click', async () => {
    const text = code.querySelector('code').textContent.replace(/\n$/, '');
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(code.querySelector('code'));
      button.textContent = 'Selected';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  code.append(button);
}

// Blocks of different program languages that follow each other become tabs, always in
// the same order; the choice holds on every page.
const remembered = 'stoa.docs.language';
const order = ['curl', 'Go', 'JavaScript', 'TypeScript', 'Python', 'Java'];

// A browser may keep nothing for a page: then the choice holds on this one.
function remember(language) {
  try {
    localStorage.setItem(remembered, language);
  } catch { /* it is not allowed */ }
}

function recall() {
  try {
    return localStorage.getItem(remembered);
  } catch {
    return null;
  }
}

function groupOf(first) {
  const group = [first];
  const seen = new Set([first.dataset.language]);
  for (let next = first.nextElementSibling; next && next.matches('.code[data-program]') && !seen.has(next.dataset.language); next = next.nextElementSibling) {
    group.push(next);
    seen.add(next.dataset.language);
  }
  return group.sort((a, b) => order.indexOf(a.dataset.language) - order.indexOf(b.dataset.language));
}

function choose(language, focus) {
  remember(language);
  for (const tabs of document.querySelectorAll('.tabs')) {
    const wanted = [...tabs.querySelectorAll('[role=tab]')].find(tab => tab.textContent === language);
    if (wanted) select(tabs, wanted, focus === tabs);
  }
}

function select(tabs, wanted, focus) {
  for (const tab of tabs.querySelectorAll('[role=tab]')) {
    const on = tab === wanted;
    tab.setAttribute('aria-selected', String(on));
    tab.tabIndex = on ? 0 : -1;
    document.getElementById(tab.getAttribute('aria-controls')).hidden = !on;
  }
  if (focus) wanted.focus();
}

let groups = 0;
for (const code of document.querySelectorAll('.code[data-program]')) {
  if (code.closest('.tabs')) continue;
  const group = groupOf(code);
  if (group.length < 2) continue;
  groups++;
  const list = element('div', {role: 'tablist', 'aria-label': 'Language'});
  const tabs = element('div', {class: 'tabs'}, list);
  code.before(tabs);
  group.forEach((block, i) => {
    block.id = `code-${groups}-${i}`;
    block.setAttribute('role', 'tabpanel');
    const tab = element('button', {type: 'button', role: 'tab', 'aria-controls': block.id}, block.dataset.language);
    tab.addEventListener('click', () => choose(block.dataset.language, tabs));
    list.append(tab);
    tabs.append(block);
  });
  list.addEventListener('keydown', event => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    const all = [...list.children];
    const at = all.findIndex(tab => tab.getAttribute('aria-selected') === 'true');
    choose(all[(at + step + all.length) % all.length].textContent, tabs);
    event.preventDefault();
  });
  select(tabs, list.firstElementChild, false);
}
if (groups && recall()) choose(recall());

// Search.
const field = document.getElementById('search');
const results = document.getElementById('results');
let index = null;
let chosen = -1;

async function load() {
  if (!index) index = fetch(root + '/docs/search.json').then(answer => answer.json()).then(prepare);
  return index;
}

// rank: begin. What follows needs no page, so that it is tested without one.

// alike are words that readers use for one another.
const alike = [
  ['password', 'passwords', 'passphrase', 'credentials'], ['reset', 'forgot', 'forgotten', 'lost', 'change', 'replaced'],
  ['use', 'used', 'taken', 'busy', 'occupied'], ['port', 'listen', 'address'], ['login', 'signin', 'sign-in', 'sign'],
  ['webhook', 'webhooks', 'notifications', 'inbox', 'deliveries'], ['delete', 'remove'], ['install', 'get', 'unpack'],
  ['backup', 'restore'], ['error', 'errors', 'fault', 'faults'], ['mock', 'fake', 'lab'], ['tls', 'https', 'certificate'],
  ['travel', 'clock', 'clocks', 'freeze', 'frozen'], ['docker', 'container', 'image'], ['429', 'throttled', 'rate'],
  ['curl', 'quick start', 'try'], ['proxy', 'proxies', 'nginx', 'ingress'], ['fork', 'forks', 'clone'],
];
// meant is the section that a newcomer looks for by one word, where many have it.
const meant = {
  curl: '/docs/getting-started', install: '/docs/getting-started', docker: '/docs/faq#does-it-run-in-docker',
  token: '/docs/faq#how-do-i-get-a-token', 429: '/docs/faq#what-does-429-mean', fork: '/docs/lab-worlds#worlds',
  reset: '/docs/lab-worlds#worlds', snapshot: '/docs/services/snapshots', proxy: '/docs/operations-scale#proxies',
  refresh: '/docs/services/apikeys', webhook: '/docs/lab-requests#inboxes', offline: '/docs/faq#does-it-call-out',
  'rate limit': '/docs/faq#what-does-429-mean', 'time travel': '/docs/lab-worlds#clocks', https: '/docs/operations#tls',
  user: '/docs/users', organization: '/docs/users#organizations', team: '/docs/users#teams',
  errors: '/docs/faq#a-request-was-refused-and-i-do-not-see-why', metrics: '/docs/operations#metrics', login: '/docs/operations-signin',
};
const small = new Set(['a', 'an', 'the', 'in', 'of', 'to', 'is', 'on', 'how', 'do', 'i', 'my', 'for', 'and', 'with']);
// evidence are pages for who checks the program, not for who uses it.
const evidence = new RegExp('^/docs/(adr/|review|glossary|conformance|sdks|benchmarks|mutation|peers|dependencies|' +
  'architecture|adding-a-service|console-pages|[^#]*-(review|audit|notes|record))');

function prepare(list) {
  const entries = list.map(entry => ({
    ...entry, page: entry.p.toLowerCase(), heading: (entry.h || '').toLowerCase(), text: (entry.t || '').toLowerCase(),
    weight: evidence.test(entry.u) ? 0.3 : entry.u.startsWith('/docs/reference/') ? 0.6 : 1,
  }));
  const vocabulary = new Map();
  const served = new Map(); // by how many services each word of a client is served
  for (const word of entries.flatMap(entry => entry.c || [])) served.set(word, (served.get(word) || 0) + 1);
  for (const entry of entries) {
    for (const word of (entry.page + ' ' + entry.heading + ' ' + entry.text).split(/[^\p{L}\d]+/u)) {
      if (word.length > 3) vocabulary.set(word, (vocabulary.get(word) || 0) + 1);
    }
  }
  return {entries, vocabulary, served};
}

// oneOff reports whether one letter more, less, other or swapped makes the words equal.
function oneOff(a, b) {
  if (Math.abs(a.length - b.length) > 1) return false;
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  const rest = (x, y) => a.slice(i + x) === b.slice(i + y);
  return rest(1, 1) || rest(1, 0) || rest(0, 1) ||
    (a[i] === b[i + 1] && a[i + 1] === b[i] && rest(2, 2));
}

// terms are the spellings of each word that was asked for, with how much each is worth.
function terms(query, vocabulary) {
  const all = query.toLowerCase().split(/\s+/).filter(Boolean);
  const words = all.some(word => !small.has(word)) ? all.filter(word => !small.has(word)) : all;
  return words.map(word => {
    const spellings = new Map([[word, 1]]);
    const known = [...vocabulary.keys()].some(entry => entry.startsWith(word));
    if (!known && word.length > 3) {
      const near = [...vocabulary].filter(([entry]) => oneOff(word, entry)).sort((a, b) => b[1] - a[1]).slice(0, 3);
      for (const [entry] of near) spellings.set(entry, 0.8);
    }
    for (const spelling of [...spellings.keys()]) {
      for (const group of alike.filter(group => group.includes(spelling))) {
        for (const other of group) if (!spellings.has(other)) spellings.set(other, 0.4);
      }
    }
    return spellings;
  });
}

// within is 2 where a word of the text begins so, 1 where one goes on so, else 0. Short
// words are whole.
function within(text, word) {
  const at = text.indexOf(word);
  if (at < 0) return 0;
  for (let i = at; i >= 0; i = text.indexOf(word, i + 1)) {
    const begins = i === 0 || !/[\p{L}\d]/u.test(text[i - 1]);
    if (begins && (word.length > 3 || !/[\p{L}\d]/u.test(text[i + word.length] || ' '))) return 2;
  }
  return word.length > 3 ? 1 : 0;
}

// score is how well an entry answers the words: one that is not there costs half and more.
function score(entry, asked) {
  let total = 0;
  let met = 0;
  for (const spellings of asked) {
    let best = 0;
    for (const [word, worth] of spellings) {
      const points = 5 * within(entry.heading, word) + 3 * within(entry.page, word) + within(entry.text, word) +
        (entry.heading.startsWith(word) ? 2 : 0) + (entry.page.startsWith(word) ? 2 : 0);
      best = Math.max(best, points * worth);
    }
    if (best) met++;
    total += best;
  }
  if (2 * met < asked.length + (asked.length > 1 ? 0 : 1)) return 0;
  return (total + (entry.heading ? 0 : 1)) * (met / asked.length) ** 3 * entry.weight;
}

// isFor reports whether the query is about the clients of this service, and by one word at least of no other.
function isFor(entry, query, served) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every(word => (entry.c || []).includes(word)) && words.some(word => served.get(word) === 1);
}

// find lists the best answers.
function find({entries, vocabulary, served}, query) {
  const asked = terms(query, vocabulary);
  const words = [...new Set(asked.flatMap(spellings => [...spellings].filter(([, worth]) => worth > 0.5).map(([word]) => word)))];
  const first = meant[query.trim().toLowerCase().replace(/s$/, '')] || meant[query.trim().toLowerCase()];
  const best = entries.map(entry =>
    [score(entry, asked) + (entry.u === first ? 100 : 0) + (isFor(entry, query, served) ? 50 : 0), entry]).filter(row => row[0]);
  return {words, best: best.sort((a, b) => b[0] - a[0]).slice(0, 12)};
}
// rank: end.

// marked is a text with the words found in it.
function marked(text, words) {
  const out = element('span', {});
  const lower = text.toLowerCase();
  let at = 0;
  while (at < text.length) {
    let next = -1;
    let length = 0;
    for (const word of words) {
      const i = lower.indexOf(word, at);
      if (i >= 0 && (next < 0 || i < next)) [next, length] = [i, word.length];
    }
    if (next < 0) break;
    out.append(text.slice(at, next), element('mark', {}, text.slice(next, next + length)));
    at = next + length;
  }
  out.append(text.slice(at));
  return out;
}

function excerpt(entry, words) {
  const at = Math.max(0, ...words.map(word => entry.text.indexOf(word)).filter(i => i >= 0).slice(0, 1));
  const from = Math.max(0, at - 50);
  return (from ? '… ' : '') + (entry.t || '').slice(from, from + 150);
}

function point(at) {
  chosen = at;
  [...results.children].forEach((row, i) => row.setAttribute('aria-selected', String(i === at)));
  const row = results.children[at];
  if (row) {
    row.scrollIntoView({block: 'nearest'});
    field.setAttribute('aria-activedescendant', row.id);
  } else field.removeAttribute('aria-activedescendant');
}

function close() {
  results.hidden = true;
  field.setAttribute('aria-expanded', 'false');
  point(-1);
}

async function search() {
  const query = field.value.trim();
  if (!query) return close();
  const {words, best} = find(await load(), query);
  results.replaceChildren(...best.map(([, entry], i) => element('a',
    {href: root + entry.u, role: 'option', id: 'result-' + i, tabindex: '-1'},
    element('b', {}, marked(entry.h || entry.p, words)), element('small', {}, entry.h ? entry.p : ''),
    element('p', {}, marked(excerpt(entry, words), words)))));
  if (!best.length) results.replaceChildren(element('p', {class: 'empty'}, 'Nothing found. Fewer or shorter words find more.'));
  results.hidden = false;
  field.setAttribute('aria-expanded', 'true');
  point(best.length ? 0 : -1);
}

if (field) {
  field.closest('form').hidden = false;
  field.closest('form').addEventListener('submit', event => event.preventDefault());
  field.addEventListener('focus', load);
  field.addEventListener('input', search);
  field.addEventListener('keydown', event => {
    const rows = results.hidden ? 0 : results.querySelectorAll('a').length;
    if (event.key === 'Escape') close();
    else if (event.key === 'ArrowDown' && rows) point((chosen + 1) % rows);
    else if (event.key === 'ArrowUp' && rows) point((chosen - 1 + rows) % rows);
    else if (event.key === 'Enter' && rows && chosen >= 0) {
      const to = results.children[chosen].href;
      close();
      location.assign(to);
    } else return;
    event.preventDefault();
  });
  document.addEventListener('keydown', event => {
    const typing = event.target.matches('input, textarea, select, [contenteditable]');
    if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    field.focus();
    field.select();
    event.preventDefault();
  });
  document.addEventListener('click', event => {
    if (!event.target.closest('.search')) close();
  });
}
