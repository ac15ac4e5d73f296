// Package jobs runs background work that survives the process: a durable queue
// and schedules, as rows of the same database as the change that caused them.
//
// It owns the claim, the leases, retries, lanes and timetables; packages store and leases
// have their rows, package dispatch the workers, package cron the timetables' text. It
// does not own what a job does: a service defines its kinds and enqueues them in
// its own transactions. No handler starts a goroutine for work that has to happen.
//
// # Promises
//
//   - A job enqueued in a transaction exists if and only if it committed.
//   - It runs at least once, and once only unless a process dies or loses its
//     lease in the middle: run functions are idempotent, or check the job's id.
//   - Jobs with the same Key run one at a time in the order they were enqueued;
//     a slow or failing lane holds up no other.
//   - A job that ends the process that runs it does so twice and is then dead. No
//     other job is dead for having been claimed beside it.
//   - Of a kind with a PerOwner share, an owner with a full queue delays another's
//     single job by one job at most.
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
//	 (behind its lane)       ├──▶ dead: out of attempts, or Permanent
//	                         └──▶ suspect: its process ended ──▶ runs alone
//
// Finished jobs are not kept: a row that is never read would double the writes.
// What a service wants to show of its work it stores itself; Stats counts. Dead
// jobs are kept for 30 days with their last error; operators list, retry and
// discard them (stoa jobs, whose commands world declares).
//
// A job that cannot begin yet (a busy receiver) returns Postpone: it looks again
// later, and nothing is counted or reported.
//
// A worker holds a job by a lease with its process's name, extended while it
// runs. When a process vanishes its leases run out and others take the jobs over.
// A process that lost a lease is told by its context (ErrLeaseLost), and what it
// reports about the job no longer counts. Attempts are counted by the claim, so
// durably before the job runs.
//
// # Jobs that end their process
//
// Memory that cannot be had, or a fault in a library, ends the process and all its
// jobs; which of them was the cause is not known, and those claimed ahead had not
// even begun. So every job that a process held when it ended becomes a suspect: the
// attempt is given back and the death is counted (Info.Deaths). Suspects run one at
// a time, and alone: for up to 30 seconds, once in five minutes, no other job
// runs in the process. That is written before the suspect begins. If the process
// ends again, this suspect is dead ("the process ended twice while this job ran"),
// and runs again only when an operator retries it. Suspects that were not reached in
// the 30 seconds run beside other jobs, still one at a time; the end of a process
// then only makes them suspects again, and the first to run alone.
//
// Kinds that evaluate nothing that a caller wrote are Safe (deliveries, sweeps):
// their jobs are taken over as often as processes end and are never suspects, so
// that no message is lost to a machine that is switched off again and again.
//
// What is not the end of a process does not count: a job that Stop interrupted or
// never began, or that did not end in time when its process did (its lease runs out
// without a holder). A lease that ran out because the process was slow is counted
// when another takes the job, and taken back when the process finds that it lives.
//
// A dead job has left its lane: those behind it go on. One that is retried joins the
// lane again by its place in the order.
//
// # Owners
//
// Enqueue.Owner says whose work a job is. A kind with a PerOwner share has workers
// of its own and claims by owner: the one with the fewest jobs here is next, among
// equals in turn. While its jobs end quickly and a worker is left for the next owner
// that comes, an owner has as many claimed ahead of its share as ended since the last
// cycle; they run within the share. The share counts the jobs that run in one process,
// as Concurrency does. Finding the next owner costs a look at the index for each owner
// who has work, due or not; the length of the queues costs nothing.
// A dedupe word is the kind's, not the owner's: where jobs of several owners must
// not join, it holds the owner.
//
// # Cycles
//
// One goroutine per started queue works in cycles. A cycle is one transaction: it
// writes the outcomes of all jobs that ended, fires schedules, moves lanes on and
// claims the next jobs in one statement, so many jobs share a commit. While jobs
// end faster than commits, more are claimed ahead, up to 256. Enqueuing wakes the
// queue after its commit; between events it sleeps until the next due time that it
// knows. On SQLite, where no other process can enqueue, it asks nothing while it sleeps.
// On PostgreSQL it looks for other processes' work after 50 ms, then ever more seldom up
// to Poll, reading only.
//
// On PostgreSQL a job of a lane is first fresh: the next cycle gives it its place,
// under the lock of its lane. Services' transactions never wait for that lock.
//
// # Tests and labs
//
// Settle runs all that is due, in order, in the calling goroutine, without started
// workers; AdvanceJobsTo moves a virtual clock from due time to due time of the jobs and
// runs them there. Both give the same run every time. On SQLite such a walk claims up to 256
// jobs by one row that names them (leases.Batch): each of theirs is then written only once.
package jobs
