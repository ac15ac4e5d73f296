// Package deliver owns outbound HTTPS calls to addresses that users chose.
//
// # Client
//
// [Client] makes one call. It speaks HTTPS only, with TLS 1.2 or newer, and verifies the certificate against the
// system's roots and the operator's trusted_ca_file. The address guard looks at the address that is really being
// connected to, after name resolution: a name that resolves to something else a moment later changes nothing.
// Everything outside public address space is refused (loopback, private, link-local with the metadata services,
// translated and mapped forms), except ranges the operator allows. Redirects are not followed, proxies from the
// environment are not used, a call takes 15 seconds at most and 64 kB of an answer are read.
//
// Revocation is checked where a certificate offers a way: a stapled OCSP answer, else its OCSP responder, else its
// CRL, reached through the same guard. A certificate known to be revoked is refused. When no way gives an answer in
// time the certificate is accepted: the responder of a third party must not stop deliveries (soft failure, as
// browsers do).
//
// # Engine
//
// [Engine] delivers messages. A [Message] is enqueued in the transaction of the change it announces. Messages of
// one channel are sent one after the other in that order; channels do not wait for each other, and a receiver that
// answers slowly holds a bounded share of the workers. What it cannot take now looks again later, the later the more
// there is of it.
//
// A receiver is a host with its port, however the address is written (package receiver): one that is dead holds nothing
// up for another port of its host but its owner's share of the calls, and a host in capital letters is not one more.
// Pauses belong to a message and its channel, and are shared by none.
//
// A message has an owner, who registered its address. Workers choose by owner (see package jobs), so that what one
// owner let hang or pile up delays another's message by one call at most:
//
//   - 256 calls at a time in a process, 32 of one owner, 16 of one owner to one receiver;
//
//   - 64 calls at a time to one receiver, 128 when each further one is its owner's only call there;
//
//   - a call takes 15 seconds at most, 5 of them to connect, however slowly bytes come;
//
//   - 40,000 waiting messages of one owner, 20,000 of them for one receiver. One more is recorded as failed at once,
//     with the reason, and not sent: the change that it announces is another user's and must not fail.
//
//   - 200, 201, 202, 204 and 102 acknowledge. 102 is an interim answer: if a final one follows in time, that counts.
//
//   - 500, 502, 503, 504, and a connection that fails, breaks or times out, are tried again: ten attempts in about
//     24 hours on the world's clock, with growing pauses of 5 s to 10 h and a jitter of a fifth.
//
//   - While a message waits for its next attempt, a newer message of its channel, or the receiver's answer to another
//     message of its owner, brings one more attempt within a second. It comes in addition: when it fails too, the
//     planned ones stay as they were. Order and numbers are kept.
//
//   - Everything else fails at once, refused addresses and certificates included.
//
// A message is sent at least once: a process that dies between the answer and its record sends it again, the same
// bytes under the same delivery id. An answer that comes after the call was given up does not count.
//
// Every message is a row of the delivery log, which operators list and resend from (stoa deliveries, whose commands
// world declares). Addresses, headers and bodies are sealed at rest, because they carry tokens; the log shows the
// address without its query. Finished rows are kept for 30 days.
//
// The package does not own what a message says, who may register an address, or when a channel ends.
package deliver
