// Package consoleresources says what the console shows of repositories and their activity: which operations list,
// read and change it, with which columns and fields.
package consoleresources
