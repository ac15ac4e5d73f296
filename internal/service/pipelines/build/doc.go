// Package build keeps the jobs of projects: their states, their rows, and what they print, keep and report.
//
// The contract calls a job also a build and its number build_num. State.Apply is the only way from one state to the
// next. A worker's changes carry the fence of its lease: one that has lost the job changes nothing any more. Every
// change that readers can see raises a job's version, so that encoded forms can be cached by it.
//
// The package decides nothing: when jobs are made, run and ended is up to the service and package runner.
package build
