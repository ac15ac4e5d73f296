// Package gitoutput reads what git prints about commits and differences.
package gitoutput
