// Package apicheck calls a key-management plugin on its socket as a cluster's API
// server does, and says what the API server would complain about: Status, then
// Encrypt and Decrypt of a seed of 32 bytes, each within the time of the
// configuration, and the bounds of every member of the answers.
package apicheck
