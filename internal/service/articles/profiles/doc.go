// Package profiles keeps what users say of themselves: the members of a User that
// the contract shows and no other part of the server knows.
package profiles
