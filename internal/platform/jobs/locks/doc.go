// Package locks makes transactions that change the same lane of jobs, or count the jobs
// of the same owner, take turns on PostgreSQL.
package locks
