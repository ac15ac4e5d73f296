'use strict';

const { mkdir, readFile, writeFile } = require('node:fs/promises');
const { join } = require('node:path');
const { Lab, LabError, VERSION, theLab } = require('./lab.cjs');
const { settings } = require('./settings.cjs');

/** How a test fails: what every framework shows as a failed assertion. */
class AssertionError extends Error {
  constructor(message) {
    super(message);
    this.name = 'AssertionError';
  }
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

// A time in RFC 3339 of a Date or of text; name is who was given it.
function moment(name, value) {
  if (value === undefined || value === null) return value;
  if (value instanceof Date && !Number.isNaN(value.valueOf())) return value.toISOString();
  if (!rfc3339.test(value)) {
    throw new TypeError(`${name}: ${JSON.stringify(String(value))} is not a time such as 2026-03-01T09:00:00Z`);
  }
  return value;
}

function duration(value) {
  return typeof value === 'number' ? `${value}ms` : value;
}

// Worlds that were made without a test context, until the tests of the file have ended.
const left = new Set();

// Where a framework has global hooks (jest), such worlds are deleted after the last test of the file.
try {
  globalThis.afterAll?.(async () => {
    await Promise.all([...left].map((w) => w.delete()));
  });
} catch {
  // Imported inside a test, where no hook can be added: delete() is the test's own.
}

// Refuses what would otherwise be ignored: a misspelt bound would let every test pass.
function known(what, given, names) {
  for (const name of Object.keys(given)) {
    if (!names.includes(name)) throw new TypeError(`${what} has no ${name}: use ${names.join(', ')}`);
  }
}

const worldOptions = ['from', 'at', 'rate', 'seed', 'name', 'dialect', 'config', 'seedFile', 'seedText', 'lab'];

// Makes a world; where a test context is given (node:test, vitest) it is deleted with it.
async function world(...args) {
  const t = typeof args[0]?.after === 'function' || typeof args[0]?.onTestFinished === 'function' ? args.shift() : undefined;
  known('world', args[0] ?? {}, worldOptions);
  const { from, at, rate, seed, name, dialect, config, seedFile, seedText, lab } = args[0] ?? {};
  const clock = at === undefined && rate === undefined
    ? undefined
    : { mode: rate === undefined ? 'frozen' : 'running', now: moment('at', at), rate };
  const here = lab ?? await theLab();
  const text = seedFile === undefined ? seedText : await readFile(seedFile, 'utf8');
  return new World(here, t, await here.call('POST', '/worlds', {
    name, from, clock, seed, dialect, config, seedFile: text,
  }));
}

class World {
  #lab;
  #test;
  #deleted = false;

  constructor(lab, t, shown) {
    this.#lab = lab;
    this.#test = t;
    if (t?.after) t.after(() => this.delete());
    else if (t) t.onTestFinished(() => this.delete());
    else left.add(this);
    this.name = shown.name;
    this.url = shown.url;
    this.prefixUrl = shown.prefixUrl;
    this.httpsUrl = shown.httpsUrl;
    this.caFile = shown.caFile;
    this.kmsSocket = shown.kmsSocket;
    this.seed = shown.seed;
    this.env = shown.env;
    const { host, hostname } = new URL(shown.prefixUrl);
    if (host !== new URL(lab.url).host || hostname === 'localhost') {
      // The lab is in a container or behind a proxy: the world's own port cannot be reached from here.
      this.prefixUrl = `${lab.url}/w/${encodeURIComponent(shown.name)}`;
      this.url = this.prefixUrl;
      this.env = { ...shown.env, STOA_URL: this.url };
    }
    this.clock = new Clock(this);
    this.faults = new Faults(this);
    this.requests = new Requests(this);
    this.services = settings(this);
  }

  call(method, rest, body) {
    return this.#lab.call(method, `/worlds/${encodeURIComponent(this.name)}${rest}`, body);
  }

  async delete() {
    left.delete(this);
    if (this.#deleted) return;
    try {
      await this.#writeReport(process.env.STOA_CONDUCT_REPORTS);
    } finally {
      await this.call('DELETE', '');
      this.#deleted = true;
    }
  }

  // The report on the client's conduct, for CI.
  async #writeReport(folder) {
    if (!folder) return;
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${this.name}.sarif`), JSON.stringify(await this.call('GET', '/conduct?format=sarif')));
  }

  async [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
    await this.delete();
  }

  async fork() {
    return new World(this.#lab, this.#test, await this.call('POST', '/fork', {}));
  }

  async reset() {
    await this.call('POST', '/reset', {});
  }

  async save(name) {
    await this.call('POST', '/snapshots', { name });
  }

  async expect(calls, bounds = {}) {
    known('expect', bounds, ['exactly', 'atLeast', 'atMost', 'noCloserThan']);
    const { exactly, atLeast, atMost, noCloserThan } = bounds;
    const verdict = await this.call('POST', '/expect', {
      calls, exactly, atLeast, atMost, noCloserThan: duration(noCloserThan),
    });
    if (!verdict.pass) throw new AssertionError(verdict.message);
  }

  async inbox(name, answer = {}) {
    const shown = await this.call('POST', '/inboxes', { name, answer });
    return new Inbox(this, shown);
  }

  async conduct() {
    return new Report(await this.call('GET', '/conduct'));
  }
}

class Clock {
  #world;

  constructor(world) {
    this.#world = world;
  }

  async now() {
    return new Date((await this.#world.call('GET', '/clock')).now);
  }

  async freeze(now) {
    await this.#world.call('PATCH', '/clock', { mode: 'frozen', now: moment('freeze', now) });
  }

  async run(rate = 1) {
    await this.#world.call('PATCH', '/clock', { mode: 'running', rate });
  }

  advance(by) {
    return this.#world.call('POST', '/clock/advance', { by: duration(by) });
  }

  advanceTo(to) {
    return this.#world.call('POST', '/clock/advance', { to: moment('advanceTo', to) });
  }

  settle() {
    return this.#world.call('POST', '/clock/settle', {});
  }
}

class Faults {
  #world;

  constructor(world) {
    this.#world = world;
  }

  add(rule) {
    known('a fault rule', rule, ['match', 'when', 'deed']);
    const { match = {}, when, deed } = rule;
    return this.#world.call('POST', '/faults', { match, when, deed });
  }

  async list() {
    return (await this.#world.call('GET', '/faults')).faults;
  }

  async remove(id) {
    await this.#world.call('DELETE', `/faults/${encodeURIComponent(id)}`);
  }

  async clear() {
    await this.#world.call('DELETE', '/faults');
  }
}

class Requests {
  #world;

  constructor(world) {
    this.#world = world;
  }

  async list(chosen = {}) {
    const query = new URLSearchParams({ limit: '1000' });
    for (const [name, value] of Object.entries(chosen)) query.set(name, String(value));
    return (await this.#world.call('GET', `/requests?${query}`)).requests;
  }

  async clear() {
    await this.#world.call('DELETE', '/requests');
  }
}

class Inbox {
  #world;

  constructor(world, { name, url, httpsUrl }) {
    this.#world = world;
    this.name = name;
    this.url = url;
    this.httpsUrl = httpsUrl;
  }

  async wait(atLeast = 1, within = '10s') {
    const query = new URLSearchParams({ atLeast: String(atLeast), within: duration(within) });
    const path = `/inboxes/${encodeURIComponent(this.name)}/messages?${query}`;
    const { messages } = await this.#world.call('GET', path);
    if (messages.length < atLeast) {
      throw new AssertionError(`inbox ${this.name} has ${messages.length} messages after ${duration(within)}, expected ${atLeast}`);
    }
    return messages;
  }
}

class Report {
  constructor({ clean, findings }) {
    this.clean = clean;
    this.findings = findings;
  }

  mustBeClean() {
    if (this.clean) return;
    const lines = this.findings.map((f) => `  ${f.rule} (${f.severity}, ${f.service}, ${f.count} times): ${f.message}; `
      + `requests ${f.requests.join(', ')}`);
    throw new AssertionError(`the client's conduct:\n${lines.join('\n')}`);
  }
}

module.exports = { Inbox, Lab, LabError, Report, VERSION, World, theLab, world };
