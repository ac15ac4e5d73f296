// Package limit counts request budgets: fixed windows with a reset time, point
// budgets, concurrency gates, and bans for callers that go on while they are
// refused.
//
// It owns the counters and the arithmetic of windows. It does not own the
// numbers (each service's contract has its own), the header names, the status
// codes, or who a caller is: a key is any text that names one.
//
// # Promises
//
//   - A limiter never admits more than its limit, whatever number of goroutines
//     or, on PostgreSQL, processes ask at once.
//   - A refusal is an error, *Exceeded, which no caller can overlook. It says
//     when to come back, and coming back then succeeds if no other was faster.
//   - TakeAll charges several budgets or none.
//   - Time is the world's clock. If it jumps back, what is used stays used, and
//     no window ends later than its whole length from then on, or an aligned one
//     than the end of the next: nothing opens, nothing locks forever. If it jumps
//     ahead, windows end as they should.
//
// # Windows
//
// A window starts with a key's first charge and ends Per later; an aligned one
// ends at the next multiple of Per since 1970 UTC. Both take charges of any cost,
// which makes them point budgets.
//
// # Where it counts
//
// In one process (SQLite, or no database) the counters are in memory, in 64
// shards with a lock each, and a charge allocates nothing. They start empty: a
// restart hands out every budget again, unless the process calls Save when it
// stops (and, if it likes, on a schedule) and Load when it starts. After a crash
// the last Save counts. That is a choice: a durable write for each request would
// cost more than the request.
//
// On PostgreSQL every charge is one atomic statement on one row, shared by all
// processes; windows with a penalty are decided in Go on the locked row, by the
// same code as in memory. Processes should agree on the time:
// their windows are exact up to the difference of their clocks. A key that was
// just refused is answered by reading its row. If the database cannot be reached
// Take returns its error and has charged nothing as far as anyone knows; whether
// to serve is the caller's decision.
//
// A holder of a gate that never releases, because its process died, is counted on
// PostgreSQL until GateLease has passed. One that stays longer than that is no
// longer counted.
//
// # Memory
//
// Keys are kept as 128 bits of SHA-256: they may be long or secret. A key takes
// at most 140 bytes, a million keys about 130 MB. MaxKeys is never passed.
//
// When a shard is full, expired keys go first. Live keys never go, since each
// would come back with a full budget. A new key that finds it full is counted
// together with all others of its window that did, on one common budget: a
// flood of invented keys is refused early, a key that was there before it is not
// affected, and no key is admitted more than its limit. On PostgreSQL the table
// grows with the keys of one window length and is swept while it is used.
package limit
