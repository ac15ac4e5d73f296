// Package envelope seals short messages under a 256-bit key: data keys under a
// key-encryption key, and what callers send under a data key.
//
// The cipher is XAES-256-GCM as published by C2SP: the first half of a 192-bit
// nonce derives a fresh AES-256-GCM key, the second half is that key's nonce.
// Its published vectors are in the tests.
//
// # Why no nonce is used twice
//
// A nonce is HMAC-SHA256(nonce key, 24 random bytes, a counter, the additional
// data, the message) cut to 192 bits. The nonce key is derived from the
// sealing key and used for nothing else.
//
//   - While the system's randomness is sound, nonces are 192 uniform bits. After
//     2^64 messages under one key a repetition has a chance of 2^-65.
//   - When the randomness repeats (a machine restored twice from one memory
//     image, a forked process, a broken generator) the counter separates the
//     messages of one process, and the message itself those of two: a nonce can
//     then only repeat for the same message at the same count with the same
//     additional data, which gives the same bytes again and shows an observer
//     nothing but that.
//   - Nothing about nonces is stored, so restoring a backup cannot turn a counter
//     back. A process draws its data keys when it starts.
//
// Keys, their lifetime and their storage are the caller's.
package envelope
