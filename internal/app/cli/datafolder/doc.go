// Package datafolder decides whether a command may open a folder as its data folder: a
// command that only looks must not turn any folder that it is shown into one.
package datafolder
