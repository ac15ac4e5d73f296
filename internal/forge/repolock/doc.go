// Package repolock has one lock for each repository, which can be waited for with a
// context and takes no memory while it is not held.
package repolock
