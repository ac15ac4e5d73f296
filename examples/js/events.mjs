// Follows a repository's activity as a polite client does: it remembers the
// ETag, obeys the poll interval, and a feed without news costs nothing.
import {url, variable} from './stoa.mjs';

const feed = url(`/repos/${variable('STOA_REPO')}/events`);
const headers = {Authorization: `Bearer ${variable('STOA_TOKEN')}`};

const first = await fetch(feed, {headers});
if (!first.ok) throw new Error(`${feed}: ${first.status} ${await first.text()}`);
for (const event of (await first.json()).slice(0, 3)) console.log(`${event.created_at} ${event.actor.login} ${event.type}`);
const again = await fetch(feed, {headers: {...headers, 'If-None-Match': first.headers.get('ETag')}});
console.log(`asked again: ${again.status}, next in ${again.headers.get('X-Poll-Interval')} s, ${again.headers.get('X-RateLimit-Remaining')} requests left`);
if (again.status !== 304) throw new Error('a feed without news answers 304');
