// Package parameter refuses what one engine would store and the other would not, so
// that a mistake shows on either of them.
package parameter
