// Package compact rewrites the SQLite database of a data folder as one small
// file, for carrying the folder elsewhere.
//
// It is for folders that nothing has open, such as the copy of a world.
package compact
