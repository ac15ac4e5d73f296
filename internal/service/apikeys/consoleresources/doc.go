// Package consoleresources says what the console shows of scheduling keys: which operations list, read and
// change it, with which columns and fields.
package consoleresources
