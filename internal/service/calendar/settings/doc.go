// Package settings keeps what users of the calendar API chose of a fixed list of settings:
// the list and its defaults, the rows, and the wire form. Announcing a change is the caller's.
package settings
