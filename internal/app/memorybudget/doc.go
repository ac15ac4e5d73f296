// Package memorybudget serves what passes none of the gates of route within the memory that all
// requests share.
package memorybudget
