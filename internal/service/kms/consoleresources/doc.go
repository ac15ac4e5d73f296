// Package consoleresources says what the console shows of keys of key management: which operations list, read and
// change it, with which columns and fields.
package consoleresources
