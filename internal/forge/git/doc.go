// Package git runs the git program on bare repositories in one folder, and reads
// what git clients send: packets, lists of refs, packs.
//
// It knows no owner, no permission and no database. A repository is a folder named
// by an identifier of the caller's making: no name that a user chose ever becomes
// part of a path. Programs run without hooks, without the user's and the machine's
// configuration.
//
// Every program runs in a slot of a bounded pool (process_slots.go), with limits of memory,
// processor time and file size that the kernel enforces (rlimit). A request is on
// disk before a program is started for it and an answer goes through a file too
// (temp_file_pipe.go), so that no client can hold a slot. What a push brings is measured,
// object by object, before git sees it (check_pack.go).
package git
