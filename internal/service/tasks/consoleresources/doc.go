// Package consoleresources says what the console shows of task lists: which operations list, read and
// change it, with which columns and fields.
package consoleresources
