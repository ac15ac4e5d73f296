// Package runner runs the jobs of the service and moves them from state to state.
//
// Jobs are rows (package build). A process claims queued ones by a lease, runs their nodes (package execute), and
// writes what they print, keep and report while they run. What it writes carries the number of its lease, the fence: a
// worker that was given up changes nothing any more. Output is collected for a moment and written in pieces, so that a
// short job costs two transactions in all.
//
// # Slots
//
// A slot is a place for one running node in a process. Slots are given out under one lock of the database, for all
// processes (fair_schedule.go): to the owner with the fewest running nodes, among equals to the one who was served
// longest ago. No owner holds all slots of a process that has more than one.
//
// # Ends
//
// Finish is the one way in which a job ends, from inside or outside: it closes open steps, queues lost work again,
// moves the
// workflow on and calls Options.Ended, all in one transaction.
//
// What jobs run for, and how their rows come to be, is up to the service.
package runner
