// Package store keeps jobs and schedules as rows: the statements that insert,
// claim, finish and list them, and the cycle, which is the one transaction in
// which a queue writes what ended and claims what is next.
//
// It owns the tables stoa_jobs, stoa_schedules and, on PostgreSQL, stoa_job_lanes
// and stoa_job_owners. It runs nothing and knows no clock: what the time is, and
// which jobs are wanted, package jobs says.
package store
