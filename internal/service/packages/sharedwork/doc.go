// Package sharedwork runs work once for all callers that ask for it at a time, in
// places of which each caller has a share.
package sharedwork
