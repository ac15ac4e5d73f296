// Package kms is a key-management plugin a cluster encrypts its secrets with
// (service A).
//
// It serves the gRPC service KeyManagementService of package v2:
//
//	Status    the API version, the health as text, the id of the current key
//	Encrypt   a message under the current key
//	Decrypt   what Encrypt answered, under any key that was not destroyed
//
// A provider has the key-encryption key, which never leaves it: local keeps
// keys in the store, sealed under the root key; transit, awskms, gcpkms and
// azurekv leave them with a Vault or OpenBao server or a cloud. Messages are
// not sent to the provider. They are encrypted under a data key that is drawn
// when the process starts, is wrapped by the provider and travels, wrapped, in
// the annotation wrapped-key.kms.stoa.dev. A data key encrypts a bounded
// number of messages for a bounded time; unwrapped ones are cached, so that
// reading 100,000 secrets asks the provider a few times. The key id
// always names the provider's key, never the data key.
//
// A message is authenticated together with the key id and the annotation: what
// was altered, moved or exchanged does not open. Package envelope explains why no
// nonce is used twice, also after a restored backup or a forked state.
//
// A new key is durable before any caller gets its id. Status and Encrypt read one
// pointer, so they change at the same instant. Ids only move forward and are
// never used again: local ones are drawn, those of remote keys are derived from
// where the version lives and when it was made, so that plugins with stores of
// their own agree on them.
//
// # Where the contract is silent we decided
//
//   - A-N1: on the unix socket (mode 0600) the file's permissions decide who may
//     call. The common listener offers the service only where kms.tcp says so,
//     to callers with a personal or access token that lists the scope kms, which
//     only the operator issues, or with a client certificate that the configured
//     authority signed.
//   - A-N2: InvalidArgument for empty, oversized, malformed or altered fields and
//     for annotations that are not ours; NotFound for a key id that was never
//     published; FailedPrecondition for a key that was destroyed or is disabled;
//     Unavailable when the provider or the store does not answer;
//     Unauthenticated and PermissionDenied when the provider refuses our credential;
//     ResourceExhausted for too many calls; DeadlineExceeded and Canceled for a
//     caller that left; Internal when an answer would break a limit. A message
//     of 1 to 958 bytes fits. uid is not used, except that it has at most
//     1024 bytes; it may be absent.
//   - A-N3: a key is current, then retired, then perhaps destroyed; there is no
//     way back. No events are emitted. Calls are not rate limited; calls to the
//     provider are, 64 at once (remote_calls). Status always says v2.
//   - A-N4: key ids and ciphertexts stay below 1000 bytes, annotations below
//     32,000; up to 1024 and 32,768 are accepted for decryption. The key rotates
//     when an operator asks, when it is 90 days old (rotate_every), or when
//     the remote key is rotated with other tools, which the next probe finds.
//   - An unhealthy provider shows in healthz, and the key id stays. Status fails
//     only before the first key was ever published.
//   - A store that does not answer, or does not take a new key, is reported after 30
//     seconds: keys are in memory and go on working. Rotating fails at once.
//   - A process that shares its store learns which keys another one destroyed with each
//     probe, and from its next call when there was none for five minutes.
package kms
