// Package output writes the result of a command for a reader: lines and tables that fit the
// terminal, and everything in full for pipes and files.
package output
