// Package leases keeps which process holds which jobs: by a row each, whose holder and end
// of the lease stand in the job itself, or by one row for many (see Batch).
//
// It owns the table stoa_job_batches and the columns holder, deaths and claim_at of running
// jobs. It does not choose what is claimed; package store does.
package leases
