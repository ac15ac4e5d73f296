// Keeps the list of requests on the front page current while it is looked at.
'use strict';

const list = document.getElementById('requests');
const mark = document.getElementById('live');
const every = 2000;

async function refresh() {
  if (document.hidden) return;
  try {
    const answer = await fetch(list.dataset.from, {redirect: 'error'});
    if (!answer.ok) throw new Error(answer.status);
    const text = await answer.text();
    if (text !== list.dataset.last) {
      list.innerHTML = text; // our own escaped markup
      list.dataset.last = text;
    }
    mark.hidden = false;
  } catch {
    mark.hidden = true; // signed out, or the server is away; the next try tells
  }
}

refresh();
setInterval(refresh, every);
