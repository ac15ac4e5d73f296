// Package forge keeps repositories: who owns them, who may read and write
// them, what they hold, and what happens to them.
//
// It stands beside identity. One service reports what it observes, another builds
// from it; neither knows the other.
//
// # What it owns
//
// A repository belongs to a user or an organization and is addressed
// OWNER/NAME without regard to case. After a rename the old address leads to
// the new one until somebody takes it. Forks form a network with one root.
// Stars, members with a permission, and the repositories that an app is
// installed on are rows here.
//
// The content is a real bare git repository in the data folder. Its folder is
// named by an identifier of our own making: no name that a person chose ever
// becomes part of a path. The git program packs and unpacks; it runs without
// hooks, without the user's and the machine's configuration. Clients reach it
// at /git/OWNER/REPO.git over git's smart HTTP protocol, version 2 included.
//
// Every program runs in a place of a bounded pool, with limits of memory,
// processor time and file size that the kernel holds (places.go, limits). A
// request is on disk before a program is started for it and an answer goes
// through a file too (spool.go), so that no client can hold a place. What a push
// brings is measured, object by object, before git sees it (pack.go).
//
// Git takes more than a record can hold. The name of a branch or tag is UTF-8
// text of at most 255 bytes, or the push is refused; of a commit at most 32 KiB
// are kept, and no date after the year 9999.
//
// # How a push becomes an activity
//
// Before git may change a ref, a row says who is about to push. When git is
// done, the refs of the repository are compared with the refs on record; every
// difference becomes an Activity, and record, activities and whatever the
// observers write are one transaction. Only then does the client get its
// answer. A crash in between loses nothing: the row is still there, and the
// comparison is made at the next start.
//
// Observers are functions that services hand over when they are built. They
// run inside the transaction of the change, so that an event exists if and
// only if the change does.
//
// # Who may do what
//
// The owner and the owners of an owning organization administer, its members
// read, members of the repository do what their permission says, and everybody
// reads what is public. Over git a token can do at most what its scopes of a
// service allow that AcceptTokens named, an installation at most what its
// organization owns, a workflow token only what concerns its repository. What a caller may not read does not exist for that
// caller.
//
// # What it does not own
//
// Names of people and organizations are identity's. The REST face of the
// repositories, its envelope and its limits are the events service's. Several
// processes on one PostgreSQL share the repositories through forge.dir on a
// shared file system.
package forge
