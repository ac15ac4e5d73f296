// Turns a checklist into a task list, ticks the first item off and prints what
// is left, in order.
import {call, variable} from './stoa.mjs';

const token = variable('STOA_TOKEN');
const checklist = ['Fetch water', 'Sweep the steps', 'Light the lamps'];

const list = await call('POST', '/tasks/v1/users/@me/lists', {token, body: {title: 'Morning'}});
const at = `/tasks/v1/lists/${list.id}/tasks`;
let previous;
for (const title of checklist) {
  const after = previous ? `?previous=${previous}` : '';
  previous = (await call('POST', at + after, {token, body: {title}})).id;
}
const {items: [first]} = await call('GET', at, {token});
await call('PATCH', `${at}/${first.id}`, {token, body: {status: 'completed'}});
const {items: open} = await call('GET', at + '?showCompleted=false', {token});
console.log(`${list.title}: ${first.title} is done, open are ${open.map(task => task.title).join(', ')}`);
