// Package audittrail is the lab's own record of what was done through its control API: worlds
// that were made, forked, reset and deleted, clocks that were moved, rules of faults.
//
// It is not in a world's audit trail: a world that is deleted or reset loses that, and an
// entry there would make a world that was only asked for differ from its base. Entries
// are lines of JSON in two files of the lab's folder. When the newer file is full, it
// becomes the older one, whose entries are forgotten.
//
// An entry is written after the act has ended, and reaches the disk when the machine
// writes its caches: a lab is for tests.
package audittrail
