//go:build unix

package seal

import "syscall"

// noFollow makes opening a link fail.
const noFollow = syscall.O_NOFOLLOW
