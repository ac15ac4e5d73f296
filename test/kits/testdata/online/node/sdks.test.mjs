import assert from 'node:assert/strict';
import { test } from 'node:test';
import datadog from '@datadog/datadog-api-client';
import { GoogleGenAI } from '@google/genai';
import { calendar } from '@googleapis/calendar';
import { tasks } from '@googleapis/tasks';
import { Octokit } from 'octokit';
import { world } from 'stoatest';

test('official clients take the settings as they are', async (t) => {
  const w = await world(t);
  const s = w.services;
  const [owner, repo] = w.env.STOA_REPO.split('/');
  const octokit = new Octokit(s.events.options);
  assert.equal((await octokit.rest.activity.listRepoEvents({ owner, repo })).status, 200);
  assert.equal((await tasks({ version: 'v1', ...s.tasks.options }).tasklists.list()).status, 200);
  assert.equal((await calendar({ version: 'v3', ...s.calendar.options }).calendarList.list()).status, 200);
  const models = await new GoogleGenAI(s.generate.options).models.list();
  assert.ok(models.page.length > 0);
  const { serverVariables, ...options } = s.snapshots.options;
  const configuration = datadog.client.createConfiguration(options);
  configuration.setServerVariables(serverVariables);
  assert.equal((await new datadog.v1.AuthenticationApi(configuration).validate()).valid, true);
});
