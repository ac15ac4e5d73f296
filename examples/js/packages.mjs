// Says what a package version may be used for: its licenses, its advisories
// and what it needs.
import {call} from './stoa.mjs';

const [system, name, version] = process.argv.length > 4 ? process.argv.slice(2) : ['npm', '@stoa/colonnade', '1.2.0'];
const at = `/v3/systems/${system}/packages/${encodeURIComponent(name)}/versions/${version}`;
const found = await call('GET', at);
console.log(`${name} ${version}: ${found.licenses.join(', ') || 'no license'}, ${found.advisoryKeys.length} advisories`);
const graph = await call('GET', at + ':dependencies');
for (const node of graph.nodes) console.log(`  ${node.relation.toLowerCase()} ${node.versionKey.name} ${node.versionKey.version}`);
