// Package consoleresources says what the console shows of projects and map campaigns: which operations list, read and
// change it, with which columns and fields.
package consoleresources
