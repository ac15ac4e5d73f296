// Package batches answers many requests to a model later: a batch is stored with its requests, a
// job answers one after the other, and the results are read from the batch or, where the requests
// came in a file, from a file of the same form.
//
// The package owns batches, their rows, jobs and JSON. How a request is read, checked and answered
// it is told by the service (Answers).
//
// # Promises
//
//   - A batch that was accepted is worked off whatever happens to the process: a job answers one
//     request and, in the transaction that stores the answer, enqueues the next. A request may be asked
//     twice, and has one answer.
//   - One owner has one request of all their batches answered at a time, so that batches leave a slow
//     model to those who wait for it; a batch counts to its owner's storage and number of files.
//   - A request that is refused is an error in its place, and ends no batch. A full quota is waited for;
//     a model that cannot answer is asked again, five times in all.
//   - What is not answered 48 hours after the batch was made is not answered any more: the batch is
//     EXPIRED. A batch is gone after seven days, with its results; a results file lives as files do.
//   - A key that is revoked or replaced stops spending: its batches are CANCELLED, with the reason, before
//     their next request is asked. So a thief's batches end with the key that was stolen, at the latest with
//     the request that runs. A key that runs out by its date ends none: it was good when the batch was
//     accepted, and short-lived keys are made for work that lasts longer. Nor does the end of a session in the
//     console, whose pages have no key.
//   - A cancelled batch keeps what was answered. A request that runs at that moment ends, and its
//     answer is thrown away.
package batches
