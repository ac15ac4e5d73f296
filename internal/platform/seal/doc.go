// Package seal owns the root key of a data folder and everything that is encrypted with it.
//
// The root key is 256 random bits. It lies in the data folder as root.key, readable by its owner only, or in a file
// that the operator hands in; then the folder alone opens nothing. Beside the data lies root.check, a value computed
// from the key that reveals nothing about it: a start with another key is refused at once, before anything is
// written under it. A folder that is new to its data takes its check value back when the data turns out to be under
// another key.
//
// The root key itself encrypts nothing. HKDF-SHA256 derives one subkey per purpose from it. Seal uses AES-256-GCM
// with a random nonce of 96 bits, which is safe for 2^32 values under one key; a purpose that seals more than that
// takes its own [Box.For] box.
//
// Worlds of a lab are made by copying folders, and copies have one root key, which opens what was sealed before. What
// clients present as a proof and no table holds is made with [Box.ProofKey], which takes a salt of the world as well.
//
// The package does not own key rotation of services (the key-management service wraps its keys with a Box and
// rotates them itself), nor hashing of tokens and passwords.
package seal
