// Drives every operation of the npm client against a running server.
import assert from 'node:assert/strict';
import {auth, calendar as api} from '@googleapis/calendar';

const client = token => {
  const credential = new auth.OAuth2();
  credential.setCredentials({access_token: token});
  return api({version: 'v3', auth: credential, rootUrl: process.env.STOA_URL + '/'});
};
const ada = client(process.env.STOA_TOKEN);
const grace = client(process.env.STOA_GUEST_TOKEN);
const calendarId = 'primary';
const data = async call => (await call).data;

// Calendars.
const made = await data(ada.calendars.insert({requestBody: {summary: 'From npm', timeZone: 'Europe/Athens'}}));
assert.equal((await data(ada.calendars.get({calendarId: made.id}))).summary, 'From npm');
await ada.calendars.update({calendarId: made.id, requestBody: {summary: 'Again', timeZone: 'Europe/Athens'}});
assert.equal((await data(ada.calendars.patch({calendarId: made.id, requestBody: {location: 'Porch'}}))).summary, 'Again');
const me = await data(ada.calendars.get({calendarId}));
const guest = await data(grace.calendars.get({calendarId}));

// Rules and lists.
const rule = await data(ada.acl.insert({calendarId, requestBody: {role: 'reader', scope: {type: 'user', value: guest.id}}}));
await ada.acl.get({calendarId, ruleId: rule.id});
await ada.acl.update({calendarId, ruleId: rule.id, requestBody: {role: 'writer'}});
await ada.acl.patch({calendarId, ruleId: rule.id, requestBody: {role: 'reader'}});
assert.equal((await data(ada.acl.list({calendarId}))).items.length, 2);
await grace.calendarList.insert({requestBody: {id: me.id}});
assert.equal((await data(grace.calendarList.get({calendarId: me.id}))).accessRole, 'reader');
await grace.calendarList.update({calendarId: me.id, requestBody: {summaryOverride: 'Ada', colorId: '3'}});
await grace.calendarList.patch({calendarId: me.id, requestBody: {selected: true}});
assert.equal((await data(grace.calendarList.list())).items.length, 2);
await grace.calendarList.delete({calendarId: me.id});
await ada.acl.delete({calendarId, ruleId: rule.id});

// Events.
const at = (day, hour) => ({dateTime: `${day}T${hour}:00:00Z`, timeZone: 'UTC'});
const series = await data(ada.events.insert({calendarId, requestBody: {
  summary: 'Series', start: at('2031-03-10', '09'), end: at('2031-03-10', '10'), recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
}}));
await ada.events.get({calendarId, eventId: series.id});
assert.equal((await data(ada.events.instances({calendarId, eventId: series.id}))).items.length, 3);
await ada.events.update({calendarId, eventId: series.id, requestBody: {...series, location: 'Agora'}});
await ada.events.patch({calendarId, eventId: series.id, requestBody: {summary: 'Renamed'}});
const list = await data(ada.events.list({calendarId, singleEvents: true, orderBy: 'startTime', timeMin: '2031-01-01T00:00:00Z', timeMax: '2031-04-01T00:00:00Z'}));
assert.deepEqual(list.items.filter(e => e.recurringEventId === series.id).map(e => e.summary), ['Renamed', 'Renamed', 'Renamed']);
await ada.events.move({calendarId, eventId: series.id, destination: made.id});
await ada.events.import({calendarId, requestBody: {summary: 'Import', iCalUID: 'npm@example.com', start: at('2031-03-09', '12'), end: at('2031-03-09', '13')}});
const quick = await data(ada.events.quickAdd({calendarId, text: 'Lunch tomorrow 12pm-1pm'}));
await ada.events.delete({calendarId, eventId: quick.id});
await assert.rejects(ada.events.delete({calendarId, eventId: quick.id}), e => e.code === 410 || e.status === 410);

// The rest.
assert.equal((await data(ada.settings.list())).items.length, 12);
assert.equal((await data(ada.settings.get({setting: 'locale'}))).value, 'en');
assert.equal((await data(ada.colors.get())).kind, 'calendar#colors');
const busy = await data(ada.freebusy.query({requestBody: {timeMin: '2031-03-09T00:00:00Z', timeMax: '2031-03-10T00:00:00Z', items: [{id: calendarId}]}}));
assert.equal(busy.calendars.primary.busy.length, 1);

// Channels.
for (const [name, watch] of Object.entries({
  events: requestBody => ada.events.watch({calendarId, requestBody}),
  acl: requestBody => ada.acl.watch({calendarId, requestBody}),
  calendarList: requestBody => ada.calendarList.watch({requestBody}),
  settings: requestBody => ada.settings.watch({requestBody}),
})) {
  const channel = await data(watch({id: 'npm-' + name, type: 'web_hook', address: process.env.RECEIVER, token: 't'}));
  assert.equal(channel.kind, 'api#channel');
  assert.equal((await ada.channels.stop({requestBody: {id: channel.id, resourceId: channel.resourceId}})).status, 204);
}
await ada.calendars.delete({calendarId: made.id});
await grace.calendars.clear({calendarId});
