// Package recipe reads pipeline.yml and plans jobs from it.
//
// Parse turns the text of one revision into a File, or says line, column, what
// is wrong and what to write instead. Plan picks, for a branch or a tag and
// the parameters of a trigger, the jobs to run, with everything resolved: what
// remains for an engine is to run steps.
//
// The package is pure: no files, no clock, no network. It bounds what it
// reads (size, depth, aliases, jobs, steps), because the text comes with a
// push. It does not know who may push, what a build number is, or how a step
// is run: see service/pipelines and service/pipelines/execute.
package recipe
