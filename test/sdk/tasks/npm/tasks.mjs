// Drives every operation of the npm client against a running server.
import assert from 'node:assert/strict';
import {auth, tasks as api} from '@googleapis/tasks';

const credential = new auth.OAuth2();
credential.setCredentials({access_token: process.env.STOA_TOKEN});
const ada = api({version: 'v1', auth: credential, rootUrl: process.env.STOA_URL + '/'});
const data = async call => (await call).data;

const list = await data(ada.tasklists.insert({requestBody: {title: 'From npm'}}));
const tasklist = list.id;
await ada.tasklists.update({tasklist, requestBody: {title: 'Again'}});
await ada.tasklists.patch({tasklist, requestBody: {title: 'Patched'}});
assert.equal((await data(ada.tasklists.get({tasklist}))).title, 'Patched');
assert.ok((await data(ada.tasklists.list())).items.some(item => item.id === tasklist));

const first = await data(ada.tasks.insert({tasklist, requestBody: {title: 'first', due: '2031-05-06T00:00:00Z'}}));
const second = await data(ada.tasks.insert({tasklist, previous: first.id, requestBody: {title: 'second'}}));
const child = await data(ada.tasks.insert({tasklist, parent: first.id, requestBody: {title: 'child'}}));
assert.equal(child.parent, first.id);
assert.ok(second.position > first.position);
assert.ok((await data(ada.tasks.move({tasklist, task: second.id}))).position < first.position);
assert.ok((await data(ada.tasks.patch({tasklist, task: second.id, requestBody: {status: 'completed'}}))).completed);
await ada.tasks.update({tasklist, task: first.id, requestBody: {id: first.id, title: 'replaced'}});
await ada.tasks.clear({tasklist});
assert.equal((await data(ada.tasks.list({tasklist}))).items.length, 2);
assert.equal((await data(ada.tasks.list({tasklist, showHidden: true}))).items.length, 3);
assert.equal((await data(ada.tasks.get({tasklist, task: first.id}))).title, 'replaced');
await ada.tasks.delete({tasklist, task: first.id});
await ada.tasklists.delete({tasklist});
await assert.rejects(ada.tasklists.get({tasklist}), e => (e.code ?? e.status) === 404);
