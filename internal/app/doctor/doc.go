// Package doctor looks at what the server needs from the machine: a configuration
// that makes sense, a data folder, a disk that flushes, memory, free addresses, a
// database that answers, and the programs that some services run.
//
// Every finding names the step that mends it. Nothing is changed.
package doctor
