// Package audit is the durable record of what administrators and credentials did: who,
// by which credential, when, what, on what, from which network, and how it ended.
//
// Record writes an entry in the transaction of the act, so that there is no act without
// its entry and no entry without its act. What runs as an operator's command needs no
// call of its own: Command makes a context in which the first transaction that commits
// records the command, unless something inside recorded the act in its own words.
//
// Who acts travels in the context, as the caller of a request does. Work without a
// request or a command is the server's own.
//
// Entries hold names and numbers, never a secret: no password, no token, no flag of a
// command, no text that was typed where a password could be.
package audit
