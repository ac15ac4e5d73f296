'use strict';

// The control API of a lab, found or started once in a process.

const { spawn } = require('node:child_process');
const http = require('node:http');
const https = require('node:https');
const { createInterface } = require('node:readline');
const { version: VERSION } = require('./package.json');
const START_MS = 60_000;

/** What a lab refused, in its own words. */
class LabError extends Error {
  constructor(status, { code = '', message, next = '' }) {
    super(next ? `${message}: ${next}` : message);
    this.name = 'LabError';
    this.status = status;
    this.code = code;
    this.next = next;
  }
}

/** A lab at an address. */
class Lab {
  #token;

  constructor(url, token) {
    this.url = url.replace(/\/+$/, '');
    this.#token = token;
  }

  /** The variables by which other processes find the lab. */
  get env() {
    return { STOA_LAB_URL: this.url, STOA_LAB_TOKEN: this.#token };
  }

  /** Calls the control API; undefined is returned where the answer is empty. */
  async call(method, path, body) {
    const headers = { authorization: `Bearer ${this.#token}` };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await ask(`${this.url}/lab/v1${path}`, { method, headers }, text).catch((cause) => {
      throw new Error(`the lab at ${this.url} does not answer (${cause.message || cause.code}): `
        + 'it has ended, or STOA_LAB_URL names another address', { cause });
    });
    checkVersion(answer.headers['stoa-version'] ?? '');
    if (answer.status >= 400) throw refusal(answer.status, answer.text);
    return answer.text ? JSON.parse(answer.text) : undefined;
  }
}

function checkVersion(other) {
  const theirs = series(other);
  if (theirs && theirs !== series(VERSION)) {
    throw new Error(`stoatest is made for Stoa ${VERSION} and the lab is ${other}: install the same version of both`);
  }
}

// One request. Not fetch: loading it takes a third of the time that a first test has.
function ask(url, options, body) {
  return new Promise((resolve, reject) => {
    const request = (url.startsWith('https:') ? https : http).request(url, options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => { text += part; }).on('error', reject);
      answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    });
    request.on('error', reject).end(body);
  });
}

// Major and minor number of a release, empty for other builds.
function series(version) {
  return /^v?(\d+\.\d+)\.\d+$/.exec(version)?.[1] ?? '';
}

function refusal(status, text) {
  try {
    return new LabError(status, JSON.parse(text).error);
  } catch {
    return new LabError(status, { message: `the lab answered ${status}: ${text.slice(0, 200)}` });
  }
}

let found;

/** The lab of this process: that of STOA_LAB_URL, or one that is started. */
function theLab() {
  found ??= find();
  return found;
}

async function find() {
  const { STOA_LAB_URL: url, STOA_LAB_TOKEN: token, STOA_BIN: binary } = process.env;
  if (url) {
    if (!token) throw new Error('STOA_LAB_URL is set and STOA_LAB_TOKEN is not: stoa lab prints both');
    return new Lab(url, token);
  }
  return start(binary || 'stoa');
}

// Runs a lab that ends when its standard input closes, however this process ends.
function start(binary) {
  // A collector that runs less often starts the program faster; a lab of tests has little to collect.
  const env = { GOGC: '800', ...process.env };
  const child = spawn(binary, ['lab', '--ephemeral', '--listen', '127.0.0.1:0'], { stdio: 'pipe', env });
  const said = [];
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said.push(text);
    if (said.length > 40) said.shift();
  });
  return new Promise((resolve, reject) => {
    let lab;
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${binary} lab was not ready after ${START_MS / 1000} s\n${said.join('')}`));
    }, START_MS);
    child.on('error', (error) => {
      clearTimeout(late);
      reject(error.code !== 'ENOENT' ? error : new Error('no lab: set STOA_BIN to the program, put stoa into the path, '
        + 'or set STOA_LAB_URL and STOA_LAB_TOKEN to a lab that runs'));
    });
    child.on('exit', (code) => {
      clearTimeout(late);
      reject(new Error(`${binary} lab ended with ${code}\n${said.join('')}`));
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      const words = line.split(' ');
      if (words.length === 4 && words[0] === 'lab') lab = new Lab(words[1], words[3]);
      if (words[0] !== 'ready' || !lab) return;
      clearTimeout(late);
      // The tests may end while the lab runs.
      child.unref();
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.unref();
      resolve(lab);
    });
  });
}

module.exports = { Lab, LabError, VERSION, theLab };
