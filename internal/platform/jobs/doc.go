// Package jobs runs background work that survives the process: a durable queue
// and schedules, as rows of the same database as the change that caused them.
//
// It owns the tables stoa_jobs, stoa_schedules and (on PostgreSQL) stoa_job_lanes,
// the claim, the leases, retries, lanes and timetables. It does not own what a job
// does: a service defines its kinds and enqueues them in its own transactions.
// Nobody else starts goroutines for work that has to happen.
//
// # Promises
//
//   - A job enqueued in a transaction exists if and only if it committed.
//   - It runs at least once, and once only unless a process dies or loses its
//     lease in the middle: run functions are idempotent, or check the job's id.
//   - Jobs with the same Key run one at a time in the order they were enqueued;
//     a slow or failing lane holds up no other.
//   - Of the waiting jobs of a kind with the same Dedupe word there is one.
//   - A schedule fires once, whatever number of processes there are.
//   - Due times, back-off, leases and timetables follow the world's clock, also a
//     virtual one. Only what paces the machine is real time: a job's timeout, the
//     pause between polls and after a failed write.
//
// # A job's life
//
//	enqueue ──▶ ready ──▶ running ──▶ done: the row is deleted
//	               ▲         │
//	     blocked ──┘         ├──▶ ready again, after its back-off
//	 (behind its lane)       └──▶ dead: out of attempts, or Permanent
//
// Finished jobs are not kept: a row that nobody reads would double the writes.
// What a service wants to show of its work it stores itself; Stats counts. Dead
// jobs are kept for 30 days with their last error; operators list, retry and
// discard them.
//
// A job that cannot begin yet (a busy receiver) returns Postpone: it looks again
// later, and nothing is counted or reported.
//
// A worker holds a job by a lease with its owner's name, extended while it runs.
// When a process vanishes its leases run out and others take the jobs, which
// counts as an attempt. A process that lost a lease is told by its context
// (ErrLeaseLost), and what it reports about the job no longer counts.
//
// # Rounds
//
// One goroutine per started queue works in rounds. A round is one transaction: it
// writes the outcomes of all jobs that ended, fires schedules, moves lanes on and
// claims the next jobs in one statement, so many jobs share a commit. While jobs
// end faster than commits, more are claimed ahead, up to 256. Enqueuing wakes the
// queue after its commit; between events it sleeps until the next due time that
// it knows. On SQLite, where nobody else can enqueue, it asks nothing while it
// sleeps. On PostgreSQL it looks for other processes' work after 50 ms, then ever
// more seldom up to Poll, reading only.
//
// On PostgreSQL a job of a lane is first fresh: the next round gives it its place,
// under the lock of its lane. Services' transactions never wait for that lock.
//
// # Tests and labs
//
// Settle runs all that is due, in order, in the calling goroutine, without started
// workers; AdvanceTo moves a virtual clock from due time to due time and settles
// at each. Both give the same run every time for the same rows, clock and ids.
package jobs
