// Package plain turns JSON values, messages and hints into what a reader of a terminal takes in.
package plain
