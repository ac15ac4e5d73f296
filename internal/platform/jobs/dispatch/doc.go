// Package dispatch runs the workers of a started queue: one goroutine that claims
// and finishes jobs in cycles, each one transaction, and one goroutine for each
// running job.
//
// It decides when a cycle is due, how many jobs each group of kinds may claim,
// how many are claimed ahead, and when suspects run alone. What a cycle does to
// the tables is store's, and what a job does is the queue's to know.
package dispatch
