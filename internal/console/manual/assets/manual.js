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

// Blocks of different languages that follow each other become tabs; the choice holds
// on every page.
const remembered = 'stoa.docs.language';

function groupOf(first) {
  const group = [first];
  const seen = new Set([first.dataset.language]);
  for (let next = first.nextElementSibling; next && next.matches('.code') && !seen.has(next.dataset.language); next = next.nextElementSibling) {
    group.push(next);
    seen.add(next.dataset.language);
  }
  return group;
}

function choose(language, focus) {
  localStorage.setItem(remembered, language);
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
for (const code of document.querySelectorAll('.code')) {
  if (code.closest('.tabs')) continue;
  const group = groupOf(code);
  if (group.length < 2) continue;
  groups++;
  const list = element('div', {role: 'tablist', 'aria-label': 'Language'});
  const tabs = element('div', {class: 'tabs'}, list);
  group[0].before(tabs);
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
if (groups && localStorage.getItem(remembered)) choose(localStorage.getItem(remembered));

// Search.
const field = document.getElementById('search');
const results = document.getElementById('results');
let index = null;
let chosen = -1;

async function load() {
  if (!index) {
    index = fetch(root + '/docs/search.json').then(answer => answer.json()).then(list => list.map(entry => ({
      ...entry, page: entry.p.toLowerCase(), heading: (entry.h || '').toLowerCase(), text: (entry.t || '').toLowerCase(),
    })));
  }
  return index;
}

// score is how well an entry answers all words; 0 is not at all.
function score(entry, words) {
  let total = 0;
  for (const word of words) {
    let points = 0;
    if (entry.heading.startsWith(word)) points = 12;
    else if (entry.heading.includes(word)) points = 8;
    if (entry.page.startsWith(word)) points += 5;
    else if (entry.page.includes(word)) points += 3;
    if (entry.text.includes(word)) points += 1;
    if (!points) return 0;
    total += points;
  }
  return total + (entry.heading ? 0 : 1);
}

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
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return close();
  const all = await load();
  const best = all.map(entry => [score(entry, words), entry]).filter(row => row[0]).sort((a, b) => b[0] - a[0]).slice(0, 12);
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
