// What the examples share: where the server is, and one way to call it.
export function variable(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run this with "stoa exec -- node FILE", or source demo.env first`);
  return value;
}

export const url = path => variable('STOA_URL') + path;

// call sends JSON and returns JSON; an error status is an exception that says
// what the server said.
export async function call(method, path, {token, headers = {}, body, form} = {}) {
  const init = {method, headers: {...headers}};
  if (token) init.headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) {
    init.headers['Content-Type'] = 'application/json';
    init.body = JSON.stringify(body);
  }
  if (form) init.body = new URLSearchParams(form);
  const answer = await fetch(url(path), init);
  const text = await answer.text();
  if (!answer.ok) {
    throw Object.assign(new Error(`${method} ${path}: ${answer.status} ${text}`), {status: answer.status, text});
  }
  return text ? JSON.parse(text) : null;
}

export const pause = seconds => new Promise(done => setTimeout(done, seconds * 1000));
