//go:build !unix

package seal

// noFollow has no counterpart here: making links needs an administrator's right.
const noFollow = 0
