// Package expect holds a journal against what a test expects of it: so many calls,
// and no two of them too close together in the world's time.
//
// A verdict says in words what was found, and names the call that came nearest
// where one is missing, or the first that is too many.
package expect
