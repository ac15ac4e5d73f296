// Package product tries what a newcomer is told: every line of the quick starts,
// every example, every file that packs the program. It runs the true binary and
// changes nothing in the repository.
package product
