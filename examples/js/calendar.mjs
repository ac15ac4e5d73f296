// Books a weekly meeting and prints the next three, as the calendar sees them.
import {call, variable} from './stoa.mjs';

const token = variable('STOA_TOKEN');
const at = '/calendar/v3/calendars/primary/events';
const start = new Date(Date.now() + 86400e3);
start.setUTCHours(9, 0, 0, 0);
const end = new Date(start.getTime() + 1800e3);
const meeting = await call('POST', at, {token, body: {
  summary: 'Stand-up', recurrence: ['RRULE:FREQ=WEEKLY;COUNT=10'],
  start: {dateTime: start.toISOString(), timeZone: 'Etc/UTC'}, end: {dateTime: end.toISOString(), timeZone: 'Etc/UTC'},
}});
const {items} = await call('GET', `${at}/${meeting.id}/instances?maxResults=3`, {token});
for (const item of items) console.log(`${item.summary} at ${item.start.dateTime}`);
