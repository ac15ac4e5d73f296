// Package files is the blob store of a folder that one process owns: one file per object, with what is known about it
// in a footer of the same file, so that renaming one file publishes both.
package files
