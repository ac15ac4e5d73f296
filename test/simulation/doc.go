// Package simulation runs a whole world in one process on the virtual clock, with
// identifiers from a seed and a store whose calls fail, stall and are cut, under random
// clients that keep a model of what they were told. After each run the promises are
// checked against the model:
//
//	P1, P2  what was acknowledged is there, after crashes too; the rest is whole or absent
//	P3      the messages of a channel come in the order of their numbers, sync first
//	P4      every change is told, repeats are bounded and have the same number
//	P5      a key is exchanged for at most one other, a device code for one token
//	P6      a user neither sees nor changes what is another's
//	P7      a limit admits its number and no more
//	P8      a 304 hides no event
//	P9      what was encrypted is decrypted until its key is destroyed, and not afterwards
//	P10     one seed gives the same bytes twice, and on both engines
//	P11     no answer is a failure that no fault caused
//	P12     no credential is in the log
//
// One seed is one run: everything that happens is drawn from it, and Options prints
// what was drawn. Between two requests a crash copies the folder as it is on disk and
// goes on with the copy, as a kill does. Jobs run when the virtual clock is moved, and
// their store fails as well; the receiver of their messages fails and ends connections.
//
// Many seeds run in ranges: testdata/seed_ranges.tsv has those that kept every promise, and
// make simulate-recorded runs the others of a hundred thousand.
//
// Package defects plants defects and counts those that a run finds.
//
// It does not cover the loss of what the disk had not flushed; see test/disk.
package simulation
