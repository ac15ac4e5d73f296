// Command reliability keeps the list of what is claimed about reliability, runs the
// command of each claim, and writes the pages docs/reliability*.md from what it saw.
//
// targets.tsv has a row for each target: what is asked for, how far it is shown (full,
// part or none), the command that shows it, its long form for the night, and what is
// missing. results.tsv has the last run of each, written by this program only.
//
//	go run ./test/reliability                    # write the pages again
//	go run ./test/reliability -run R1,S7         # run some, and write
//	go run ./test/reliability -run all -long     # make nightly
//
// What a command prints is to be read in .cache/reliability/ID.log while it runs.
package main
