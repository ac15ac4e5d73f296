// The script's answers are known word for word; a pulled model says something of its own.
import assert from 'node:assert/strict';

export const pulled = Boolean(process.env.STOA_SDK_MODEL);

export const says = (text, words) => (pulled ? assert.ok(text.length > 0) : assert.equal(text, words));

export const counts = (tokens, number) => (pulled ? assert.ok(tokens > 0) : assert.equal(tokens, number));

// tells is a story: many pieces, of which the script's begin alike.
export const tells = (text, chunks) =>
  assert.ok(chunks > (pulled ? 3 : 9) && (pulled ? text : text.startsWith('Under the painted porch')), `${chunks} ${text}`);

// reports is an answer after a function was called: the script repeats what it returned.
export const reports = (text) => (pulled ? assert.equal(typeof text, 'string') : assert.match(text, /sky_state/));

export const isAdult = (age) => (pulled ? assert.ok(Number.isInteger(age) && age >= 18, String(age)) : assert.equal(age, 18));

// storyLength bounds a story, which a small model may not end by itself.
export const storyLength = pulled ? 60 : 600;
