// Package refusedcaller says whose credential a request was refused with. The caller is told no more
// than the refusal itself; the log and the journal, which administrators read, name the owner.
package refusedcaller
