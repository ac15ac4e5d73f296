// Package forge keeps repositories: who owns them, who may read and write
// them, what they hold, and what happens to them.
//
// It is beside identity, below the services. One service reports what it observes,
// another builds from it; neither knows the other.
//
// # What it owns
//
// A repository belongs to a user or an organization and is addressed
// OWNER/NAME without regard to case. After a rename the old address leads to
// the new one until another repository takes it, or its owner has 500 younger ones. Forks form a network with one
// root. Stars, members with a permission, and the repositories that an app is
// installed on are rows here.
//
// The content is a real bare git repository in the data folder, on which package
// forge/git runs the git program; package forge/contents reads it, and its methods are
// the forge's. Clients reach it at /git/OWNER/REPO.git over
// git's smart HTTP protocol, version 2 included.
//
// Git takes more than a record can hold. The name of a branch or tag is UTF-8
// text of at most 255 bytes, or the push is refused; of a commit at most 32 KiB
// are kept, and no date after the year 9999. Of the branches that change at once
// the commits of 200 are counted and kept, 8 MiB of them together.
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
// Of the pushes on record a repository keeps the newest for a while (forge.kept_pushes,
// forge.push_life); a job forgets the others every day. Of those it counts how many were
// whose, so that what the removal of a user says of pushes is the number of all that
// were made to repositories that exist.
//
// Observers are functions that services hand over when they are built. They
// run inside the transaction of the change, so that an event exists if and
// only if the change does.
//
// # Who may do what
//
// The owner and the owners of an owning organization administer, its members
// read, members of the repository do what their permission says, and every caller
// reads what is public. Over git a token can do at most what its scopes of a
// service allow that AcceptTokens named, an installation at most what its
// organization owns, a workflow token only what concerns its repository. What a
// caller may not read does not exist for that caller.
//
// # What it does not own
//
// Names of users and organizations are identity's. The REST API of the
// repositories, its envelope and its limits are the events service's. Several
// processes on one PostgreSQL share the repositories through forge.dir on a
// shared file system.
package forge
