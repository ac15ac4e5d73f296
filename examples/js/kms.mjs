// Wraps a data key with the key-management plugin and unwraps it again, over
// its unix socket. The protocol is gRPC; two of its messages are small enough
// to be written by hand.
import assert from 'node:assert/strict';
import {randomBytes} from 'node:crypto';
import http2 from 'node:http2';
import net from 'node:net';
import {variable} from './stoa.mjs';

const socket = variable('STOA_KMS_SOCKET');
const session = http2.connect('http://localhost', {createConnection: () => net.connect(socket)});

// A field of a message: bytes under a number, shorter than 128 bytes here.
const field = (number, bytes) => Buffer.concat([Buffer.from([number << 3 | 2, bytes.length]), bytes]);

// parse reads the bytes fields of a message by number.
function parse(message) {
  const fields = {};
  for (let at = 0; at < message.length;) {
    const number = message[at++] >> 3;
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++];
      length |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    (fields[number] ??= []).push(message.subarray(at, at += length));
  }
  return fields;
}

function rpc(method, message) {
  return new Promise((done, failed) => {
    const stream = session.request({':method': 'POST', ':path': `/v2.KeyManagementService/${method}`, 'content-type': 'application/grpc', te: 'trailers'});
    const parts = [];
    let trailers = {};
    stream.on('response', headers => trailers = headers);
    stream.on('trailers', headers => trailers = headers);
    stream.on('data', part => parts.push(part));
    stream.on('error', failed);
    stream.on('end', () => {
      if (trailers['grpc-status'] !== '0') failed(new Error(`${method}: ${trailers['grpc-status']} ${trailers['grpc-message']}`));
      else done(parse(Buffer.concat(parts).subarray(5)));
    });
    const frame = Buffer.alloc(5);
    frame.writeUInt32BE(message.length, 1);
    stream.end(Buffer.concat([frame, message]));
  });
}

const dataKey = randomBytes(32);
const wrapped = await rpc('Encrypt', Buffer.concat([field(1, dataKey), field(2, Buffer.from('example-1'))]));
const [ciphertext] = wrapped[1];
const [keyID] = wrapped[2];
const annotations = (wrapped[3] ?? []).map(entry => Buffer.concat([Buffer.from([4 << 3 | 2]), varint(entry.length), entry]));
const opened = await rpc('Decrypt', Buffer.concat([long(1, ciphertext), field(2, Buffer.from('example-2')), field(3, keyID), ...annotations]));
assert.deepEqual(opened[1][0], dataKey);
console.log(`a data key of 32 bytes became ${ciphertext.length} bytes under key ${keyID} and came back`);
session.close();

function varint(n) {
  const bytes = [];
  for (; n > 127; n >>= 7) bytes.push(n & 127 | 128);
  return Buffer.from([...bytes, n]);
}

function long(number, bytes) {
  return Buffer.concat([Buffer.from([number << 3 | 2]), varint(bytes.length), bytes]);
}
