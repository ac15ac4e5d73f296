// Package simulation runs a whole world in one process on the virtual clock, with
// identifiers from a seed and a store whose calls fail, stall and are cut, under random
// clients that keep a model of what they were told. After each run the promises are
// checked against the model:
//
//	P1, P2  what was acknowledged is there, after crashes too; the rest is whole or absent
//	P5      a key is exchanged for at most one other
//	P6      a user neither sees nor changes what is another's
//	P7      a limit admits no more than its number
//	P10     one seed gives the same bytes twice
//	P11     no answer is a failure that no fault caused
//	P12     no credential is in the log
//
// One seed is one run: everything that happens is drawn from it, and Options prints
// what was drawn. Between two requests a crash copies the folder as it is on disk and
// goes on with the copy, as a kill does.
//
// It does not yet cover channels (P3, P4), conditional feeds (P8) and key management
// (P9), nor the loss of what the disk had not flushed.
package simulation
