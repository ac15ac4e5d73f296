// Package memorydiskuse adds up what the processes of a run use together: memory, and the
// disk of their work folder with the files that have no name any more. A Ledger
// adds up the memory of all runs.
package memorydiskuse
