// Package inputfile reads the files that a command is told to read, and says of one that cannot be read why, with the
// same exit code in every command.
package inputfile
