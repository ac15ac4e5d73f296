// Runs the jobs of a branch, waits for the first one and prints what it said.
import {call, pause, url, variable} from './stoa.mjs';

const headers = {'Pipeline-Token': variable('STOA_PIPELINE_TOKEN'), Accept: 'application/json'};
const project = `/api/v1.1/project/vcs_a/${variable('STOA_REPO')}`;

let job = await call('POST', `${project}/tree/main`, {headers, body: {}});
for (let left = 600; job.lifecycle !== 'finished'; left--) {
  if (!left) throw new Error(`job ${job.build_num} is still ${job.status}`);
  await pause(0.1);
  job = await call('GET', `${project}/${job.build_num}`, {headers});
}
const log = await (await fetch(url(`${project}/${job.build_num}/log`), {headers})).text();
console.log(`job ${job.build_num} (${job.job_name}): ${job.status} after ${job.build_time_millis} ms, ${log.split('\n').length} lines of log`);
console.log(`to be read at ${job.build_url}`);
