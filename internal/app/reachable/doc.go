// Package reachable asks what a server needs for an answer before it makes its data folder, so
// that one that cannot start leaves nothing behind.
package reachable
