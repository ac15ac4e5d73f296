// Package transfer carries the files of a command between the process of the operator
// and the server, which may see other folders and have other rights: a service manager
// can give it a /tmp of its own and leave the rest read-only.
//
// The operator's process reads what a command reads and sends it as one tar stream; the
// server puts it below a folder of its own and runs the command there. What a command
// writes travels back the same way, and the operator's process puts it where the
// operator said. Entries are named ARGUMENT/NUMBER/NAME, with what a folder holds below.
//
// The server's copy lies in the data folder, which has the place for it, and every file
// is removed once it was sent: the copy and the original never need twice the space on
// one disk.
package transfer
