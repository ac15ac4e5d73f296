// Package choice is a flag that takes one of a few values.
package choice
