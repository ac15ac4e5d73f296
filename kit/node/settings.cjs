'use strict';

// What the clients of each service are configured with.

const bearer = (token) => (token ? { Authorization: `Bearer ${token}` } : {});
const google = (s) => ({ rootUrl: `${s.url}/`, headers: s.headers });
const plain = (s) => ({ baseUrl: s.url, headers: s.headers });

class Settings {
  #how;

  constructor(how, token) {
    this.#how = how;
    this.url = how.url;
    this.token = token ?? '';
    this.secret = how.secret ?? '';
    this.headers = how.headers?.(this.token, this.secret) ?? {};
    this.env = how.env?.(this) ?? {};
    this.options = how.options(this);
  }

  with(token) {
    return new Settings(this.#how, token);
  }
}

function settings({ url, kmsSocket, env }) {
  const token = env?.STOA_TOKEN;
  const make = (given, how) => new Settings({ url, ...how }, given);
  return {
    kms: make('', { url: `unix:${kmsSocket}`, options: (s) => ({ target: s.url }) }),
    packages: make('', { options: (s) => ({ baseUrl: s.url }) }),
    tasks: make(token, { headers: bearer, options: google }),
    labels: make(token, { headers: bearer, options: google }),
    snapshots: make(env?.STOA_API_KEY, {
      secret: env?.STOA_APP_KEY,
      headers: (key, application) => (key ? { 'SVC-API-KEY': key, 'SVC-APPLICATION-KEY': application } : {}),
      env: (s) => ({ DD_API_KEY: s.token, DD_APP_KEY: s.secret }),
      options: (s) => ({
        serverIndex: 1,
        authMethods: { apiKeyAuth: s.token, appKeyAuth: s.secret },
        serverVariables: { name: s.url.replace(/^https?:\/\//, ''), protocol: new URL(s.url).protocol.slice(0, -1) },
      }),
    }),
    articles: make(token, { headers: bearer, options: (s) => ({ endpoint: s.url, token: s.token }) }),
    pipelines: make(env?.STOA_PIPELINE_TOKEN, {
      headers: (given) => (given ? { 'Pipeline-Token': given } : {}),
      env: (s) => ({ CIRCLECI_CLI_HOST: s.url, CIRCLECI_CLI_TOKEN: s.token }),
      options: (s) => ({ token: s.token, circleHost: `${s.url}/api/v1.1` }),
    }),
    calendar: make(token, { headers: bearer, options: google }),
    events: make(token, {
      headers: bearer,
      env: (s) => ({ GITHUB_TOKEN: s.token, GITHUB_API_URL: s.url }),
      options: (s) => ({ auth: s.token, baseUrl: s.url }),
    }),
    device: make(env?.STOA_DEVICE_CLIENT_ID, {
      secret: env?.STOA_DEVICE_CLIENT_SECRET,
      options: (s) => ({
        clientId: s.token,
        clientSecret: s.secret,
        deviceAuthorizationEndpoint: `${s.url}/device/code`,
        tokenEndpoint: `${s.url}/token`,
      }),
    }),
    analytics: make(token, { headers: bearer, options: plain }),
    apikeys: make(env?.STOA_SCHEDULING_KEY, { headers: bearer, options: plain }),
    generate: make(env?.STOA_MODEL_KEY, {
      headers: (key) => (key ? { 'x-goog-api-key': key } : {}),
      env: (s) => ({ GEMINI_API_KEY: s.token, GOOGLE_GEMINI_BASE_URL: s.url }),
      options: (s) => ({ apiKey: s.token, httpOptions: { baseUrl: s.url } }),
    }),
  };
}

module.exports = { settings };
