package seccomp

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_AARCH64
	// foreignNumbers lies above every call of this processor.
	foreignNumbers = 0x40000000
)

// refusedHere are calls that only this processor has.
func refusedHere() []uint32 { return []uint32{unix.SYS_KEXEC_FILE_LOAD} }
