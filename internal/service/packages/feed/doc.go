// Package feed reads a collection of OSV records in the layout in which they are
// published: a folder for each ecosystem with an archive of all its records
// (all.zip), a list of when each changed (modified_id.csv, the newest first) and
// the records one by one (ID.json); the names of the folders stand in
// ecosystems.txt. It lies at an address or in a folder of this machine.
package feed
