export declare const VERSION: string;

/** What a lab refused, in its own words. */
export declare class LabError extends Error {
  readonly status: number;
  readonly code: string;
  readonly next: string;
}

export declare class Lab {
  constructor(url: string, token: string);
  readonly url: string;
  /** The variables by which other processes find the lab. */
  readonly env: Record<'STOA_LAB_URL' | 'STOA_LAB_TOKEN', string>;
}

/** The lab of this process: that of STOA_LAB_URL, or one that is started. */
export declare function theLab(): Promise<Lab>;

/** RFC 3339 text or a Date. */
export type Moment = string | Date;
/** Text such as "90m" or "7d", or milliseconds. */
export type Duration = string | number;

export interface WorldOptions {
  /** "demo" (the default), "empty", "snapshot:NAME" or "world:NAME". */
  from?: string;
  /** Freezes the clock, or has it run from there where a rate is given. */
  at?: Moment;
  rate?: number;
  /** Makes credentials, identifiers and bytes the same in every run. */
  seed?: number;
  name?: string;
  dialect?: 'sdk' | 'neutral';
  /** Settings as in the configuration file. */
  config?: Record<string, unknown>;
  /** A seed file: users, task lists, repositories and more, added to what the world is born from. */
  seedFile?: string | URL;
  /** The text of a seed file. */
  seedText?: string;
  lab?: Lab;
}

/**
 * What a client of one service is configured with. `options` is what the constructor of the service's SDK takes;
 * the others are for every other client.
 */
export interface Settings<Options = object> {
  /** The base address. */
  readonly url: string;
  /** The credential, empty in a world that has none. */
  readonly token: string;
  /** Belongs to the token where there are two: the application key, or the client's secret. */
  readonly secret: string;
  /** The credential as the service takes it. */
  readonly headers: Record<string, string>;
  /** Variables that official clients read by themselves. */
  readonly env: Record<string, string>;
  readonly options: Options;
  /** The same settings with another credential, such as that of a seed file. */
  with(token: string): Settings<Options>;
}

/** Options of the clients of @googleapis. */
export interface GoogleOptions {
  rootUrl: string;
  headers: Record<string, string>;
}

export interface Services {
  readonly kms: Settings<{ target: string }>;
  readonly packages: Settings<{ baseUrl: string }>;
  /** tasks({ version: 'v1', ...w.services.tasks.options }) of @googleapis/tasks. */
  readonly tasks: Settings<GoogleOptions>;
  readonly labels: Settings<GoogleOptions>;
  /** client.createConfiguration(options) of @datadog/datadog-api-client, then setServerVariables(serverVariables). */
  readonly snapshots: Settings<{
    serverIndex: number;
    authMethods: { apiKeyAuth: string; appKeyAuth: string };
    serverVariables: { name: string; protocol: string };
  }>;
  readonly articles: Settings<{ endpoint: string; token: string }>;
  /** new CircleCI(options) of circleci-api. */
  readonly pipelines: Settings<{ token: string; circleHost: string }>;
  /** calendar({ version: 'v3', ...w.services.calendar.options }) of @googleapis/calendar. */
  readonly calendar: Settings<GoogleOptions>;
  /** new Octokit(w.services.events.options) of octokit. */
  readonly events: Settings<{ auth: string; baseUrl: string }>;
  readonly device: Settings<{
    clientId: string;
    clientSecret: string;
    deviceAuthorizationEndpoint: string;
    tokenEndpoint: string;
  }>;
  readonly analytics: Settings<{ baseUrl: string; headers: Record<string, string> }>;
  readonly apikeys: Settings<{ baseUrl: string; headers: Record<string, string> }>;
  /** new GoogleGenAI(w.services.generate.options) of @google/genai. */
  readonly generate: Settings<{ apiKey: string; httpOptions: { baseUrl: string } }>;
}


/** The context of a test: that of node:test has after, that of vitest onTestFinished. */
export type TestContext = { after(fn: () => unknown): unknown } | { onTestFinished(fn: () => unknown): unknown };

/**
 * Makes a world and deletes it with the test.
 *
 * ```js
 * import assert from 'node:assert/strict';
 * import test from 'node:test';
 * import { world } from 'stoatest';
 *
 * test('lists', async (t) => {
 *   const w = await world(t, { at: '2026-03-01T09:00:00Z' });
 *   const { url, headers } = w.services.tasks;
 *   assert.equal((await fetch(`${url}/tasks/v1/users/@me/lists`, { headers })).status, 200);
 *   await w.expect({ operation: 'tasklists.list' }, { exactly: 1 });
 * });
 * ```
 */
export declare function world(t: TestContext, options?: WorldOptions): Promise<World>;
/** Makes a world; call delete() when the test ends. */
export declare function world(options?: WorldOptions): Promise<World>;

export interface Calls {
  service?: string;
  operation?: string;
  method?: string;
  /** A pattern: * within a segment, ** across. */
  path?: string;
  status?: number | string;
  caller?: string;
  header?: Record<string, string>;
  /** JSON pointer to value. */
  body?: Record<string, unknown>;
}

export interface Count {
  exactly?: number;
  atLeast?: number;
  atMost?: number;
  noCloserThan?: Duration;
}

export interface Advanced {
  from: string;
  to: string;
  ran: { at: string; kind: string; service: string; outcome: string; detail?: string }[];
  ranCount: number;
  left: number;
}

export interface Fault {
  match?: Omit<Calls, 'status'>;
  when?: {
    nth?: number; every?: number; first?: number; after?: number; share?: number; from?: string; until?: string;
  };
  deed:
    | { fault: string }
    | { status: number; headers?: Record<string, string>; body?: string }
    | { delay: string; clock?: 'real' | 'world' }
    | { cut: { afterBytes: number } }
    | { reset: true }
    | { drip: { bytesPerSecond: number } }
    | { drop: true }
    | { duplicate: number }
    | { fail: string };
}

export interface Rule extends Fault {
  id: string;
  hits: number;
}

export interface Summary {
  id: string;
  at: string;
  service: string;
  operation: string;
  method: string;
  path: string;
  query?: string;
  status: number;
  reason?: string;
  caller?: string;
  fault?: string;
  durationMs: number;
  /** What a fault added; the service's own time is durationMs. */
  faultDelayMs?: number;
  unread?: string[];
}

export interface Message {
  at: string;
  method: string;
  headers: Record<string, string>;
  body: string | { base64: string };
  answered: number;
}

export interface Finding {
  rule: string;
  severity: 'error' | 'warning' | 'info';
  service: string;
  count: number;
  message: string;
  contract: string;
  requests: string[];
}

export declare class World {
  readonly name: string;
  readonly url: string;
  readonly prefixUrl: string;
  readonly httpsUrl?: string;
  readonly caFile?: string;
  readonly kmsSocket: string;
  readonly seed: number;
  /** What the clients of the services are configured with, such as STOA_TOKEN. */
  readonly env: Record<string, string>;
  /** What the clients of each service are configured with. */
  readonly services: Services;
  readonly clock: {
    now(): Promise<Date>;
    freeze(now?: Moment): Promise<void>;
    run(rate?: number): Promise<void>;
    /** Returns when everything that was due has happened. */
    advance(by: Duration): Promise<Advanced>;
    advanceTo(to: Moment): Promise<Advanced>;
    settle(): Promise<Advanced>;
  };
  readonly faults: {
    add(fault: Fault): Promise<Rule>;
    list(): Promise<Rule[]>;
    remove(id: string): Promise<void>;
    clear(): Promise<void>;
  };
  readonly requests: {
    /** The newest 1,000, newest first. */
    list(chosen?: Omit<Calls, 'header' | 'body'> & { text?: string }): Promise<Summary[]>;
    clear(): Promise<void>;
  };
  /** May be called again. */
  delete(): Promise<void>;
  /** A second world that begins as this one is now; it is deleted with the same test. */
  fork(): Promise<World>;
  reset(): Promise<void>;
  save(name: string): Promise<void>;
  /** Rejects with the nearest miss where the world was asked otherwise. */
  expect(calls: Calls, count?: Count): Promise<void>;
  inbox(name: string, answer?: { status?: number; delay?: string; cut?: boolean; times?: number }): Promise<Inbox>;
  conduct(): Promise<Report>;
}

export declare class Inbox {
  readonly name: string;
  readonly url: string;
  readonly httpsUrl: string;
  /** The messages so far, oldest first, once there are so many within a real time. */
  wait(atLeast?: number, within?: Duration): Promise<Message[]>;
}

export declare class Report {
  readonly clean: boolean;
  readonly findings: Finding[];
  /** Throws where a rule of severity error or warning was broken. */
  mustBeClean(): void;
}
