// Package lab holds many worlds in one process and puts time into a tester's
// hand.
//
// A world is one app.App with a folder, a clock, identifiers, a port and a path
// prefix of its own. It is created from a base: an immutable folder that holds what
// an empty or a demo world holds, a saved snapshot, or a copy of another world.
// Creating, forking and resetting is copying files; what never changes (blobs, git
// objects, blocks of metrics) is linked, not copied. Forks of a world that did not
// change since the last one share its base.
//
// A world that is not asked for a while is closed; its port stays open and the
// next request opens it again. Worlds and snapshots survive a restart: each is
// made in a folder of its own and moved to its name in one step, so that a
// process that ends in the middle leaves it whole or not at all.
//
// The package knows app; no service knows the package. Control by HTTP is in
// control, by command in app/cli.
package lab
