// Finds your projects and prints how a campaign ranks on the map.
import {call, variable} from './stoa.mjs';

const token = variable('STOA_TOKEN');
const {data} = await call('GET', '/apis/v4/projects/v0', {token});
console.log(`${data.projects.length} projects`);
const campaign = await call('GET', `/apis/v4/map-rank-tracker/v0/campaigns/${variable('STOA_ANALYTICS_CAMPAIGN')}`, {token});
console.log(`campaign ${campaign.data.name}`);
