// Command peers measures other programs that are run for the same purposes
// and Stoa side by side, and writes docs/peers.md.
//
// Each peer is fetched at the version in pinned_versions.go, started on loopback
// beside Stoa's release binary with its data on the same disk, and asked for
// operations that both have. test/bench/drive asks both: the same number of
// connections, the same warm-up, rounds in turn, and the median of the rounds.
//
// A peer is one file: how it is fetched, started and asked, and what differs
// between it and Stoa. peer.go lists them. What cannot be fetched is named in
// the page and left out.
package main
