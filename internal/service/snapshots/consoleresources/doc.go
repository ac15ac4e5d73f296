// Package consoleresources says what the console shows of metrics, graphs and events: which operations list, read and
// change it, with which columns and fields.
package consoleresources
